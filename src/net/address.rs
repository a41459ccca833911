//! Which addresses belong to the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public, with the length of the prefix, from IANA's registry of special-purpose addresses (RFC
/// 6890 and its updates).
const SPECIAL_V4: [([u8; 4], u32); 15] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    // Shared address space of providers (carrier-grade NAT).
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    // Link-local; 169.254.169.254 serves the metadata of clouds.
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    // Documentation, as are 198.51.100.0 and 203.0.113.0.
    ([192, 0, 2, 0], 24),
    // 6to4 relay anycast.
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    // Benchmarks.
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // Multicast.
    ([224, 0, 0, 0], 4),
    // Reserved, and the broadcast address.
    ([240, 0, 0, 0], 4),
];

/// The IPv6 networks inside 2000::/3 that are not public. Nothing outside of 2000::/3 is.
const SPECIAL_V6: [([u16; 2], u32); 5] = [
    // Protocol assignments, among them Teredo, which embeds IPv4 addresses.
    ([0x2001, 0], 23),
    // Documentation, as is 3fff::/20.
    ([0x2001, 0xdb8], 32),
    // 6to4, which embeds IPv4 addresses.
    ([0x2002, 0], 16),
    ([0x3fff, 0], 20),
    // Returned to IANA: the former test network 6bone.
    ([0x3ffe, 0], 16),
];

/// Returns `true` for an address of the public internet: not loopback, private, link-local, shared, reserved, for
/// documentation or multicast. An IPv4 address embedded in IPv6 (`::ffff:0:0/96`, NAT64's `64:ff9b::/96`) counts as the IPv4
/// address.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(address) => is_public_v4(address),
            None => is_public_v6(address),
        },
    }
}

/// Returns the address that is really connected to: the IPv4 address if IPv6 only embeds it.
pub(crate) fn plain(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => embedded(v6).map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let nat64 = match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
        }
        _ => None,
    };
    nat64.or_else(|| address.to_ipv4_mapped())
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    let is_in = |(first, length): &([u8; 4], u32)| {
        (bits ^ u32::from(Ipv4Addr::from(*first))) >> (32 - length) == 0
    };
    !SPECIAL_V4.iter().any(is_in)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let bits = (u32::from(first) << 16) | u32::from(second);
    let is_in = |([first, second], length): &([u16; 2], u32)| {
        (bits ^ ((u32::from(*first) << 16) | u32::from(*second))) >> (32 - length) == 0
    };
    first >> 13 == 1 && !SPECIAL_V6.iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:4860:4860::8888",
            "2400:3200::1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2001:200::1",
            "2003::1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for special in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::7f00:1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::808:808",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2001:10::1",
            "2002:7f00:1::",
            "3fff::1",
            "3ffe::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
    }
}
