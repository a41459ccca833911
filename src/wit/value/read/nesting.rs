//! Checks how deeply the types of a component are nested, without recursion.
//!
//! The readers of wasmparser, which wasmtime and wit-parser use, recurse for each nested instance type and check the depth
//! only afterwards: 3 000 bytes overflow the stack of a thread, and the process ends. So every component is checked here
//! before anything else reads it. Validates nothing else.

use wasmparser::{
    BinaryReader, ComponentAlias, ComponentExternName, ComponentImport, ComponentType,
    ComponentTypeRef, CoreType, Parser, Payload, Result, WasmFeatures,
};

use mitt_base::error::{Error, ErrorKind};

/// Most nested types of instances and components, and most nested components. Tools write up to four.
const MAX_LEVELS: usize = 32;

/// First bytes of the two types that contain others.
const HOLDERS: [u8; 2] = [0x41, 0x42];

/// Checks that reading the types of a component cannot overflow the stack.
///
/// # Errors
///
/// [`ErrorKind::Load`] - it could, or the bytes are not a valid component.
pub fn check_nesting(component: &[u8]) -> mitt_base::Result<()> {
    match is_shallow(component) {
        Ok(true) => Ok(()),
        Ok(false) => {
            let message = format!(
                "expected at most {MAX_LEVELS} components, or types of instances and components, in one another, got more"
            );
            Err(Error::new(ErrorKind::Load, message)
                .hint("declare the types of its interfaces beside one another, as tools do"))
        }
        Err(error) => Err(Error::new(ErrorKind::Load, "the bytes are not a valid component")
            .caused_by(error.to_string())),
    }
}

fn is_shallow(component: &[u8]) -> Result<bool> {
    let mut parts: usize = 0;
    for payload in Parser::new(0).parse_all(component) {
        match payload? {
            // Nested components are read without recursion, but each stays in memory until its end.
            Payload::Version { .. } => parts += 1,
            Payload::End(_) => parts = parts.saturating_sub(1),
            Payload::ComponentTypeSection(section) => {
                let range = section.range();
                let Some(bytes) = component.get(range.clone()) else { continue };
                // Other code reports features that are switched off.
                let reader = BinaryReader::new_features(bytes, range.start, WasmFeatures::all());
                if !section_is_shallow(reader)? {
                    return Ok(false);
                }
            }
            _ => {}
        }
        if parts > MAX_LEVELS {
            return Ok(false);
        }
    }
    Ok(true)
}

fn section_is_shallow(mut reader: BinaryReader<'_>) -> Result<bool> {
    // Items left to read: types of the section, then declarations of each open type.
    let mut open = vec![reader.read_var_u32()?];
    while let Some(left) = open.last_mut() {
        let Some(fewer) = left.checked_sub(1) else {
            open.pop();
            continue;
        };
        *left = fewer;
        let is_type = open.len() == 1 || declares_a_type(&mut reader)?;
        if is_type && let Some(declarations) = type_or_its_beginning(&mut reader)? {
            if open.len() > MAX_LEVELS {
                return Ok(false);
            }
            open.push(declarations);
        }
    }
    Ok(true)
}

/// Reads a declaration. Returns `true` if a type follows, which is not read yet.
fn declares_a_type(reader: &mut BinaryReader<'_>) -> Result<bool> {
    match reader.read_u8()? {
        0x00 => reader.read::<CoreType<'_>>().map(drop)?,
        0x01 => return Ok(true),
        0x02 => reader.read::<ComponentAlias<'_>>().map(drop)?,
        0x03 => reader.read::<ComponentImport<'_>>().map(drop)?,
        // An export. The code that reads the types refuses everything else.
        _ => {
            reader.read::<ComponentExternName<'_>>()?;
            reader.read::<ComponentTypeRef>()?;
        }
    }
    Ok(false)
}

/// Reads a type without nested types. For others, reads and returns only the number of declarations.
fn type_or_its_beginning(reader: &mut BinaryReader<'_>) -> Result<Option<u32>> {
    let first = reader.clone().read_u8()?;
    if HOLDERS.contains(&first) {
        reader.read_u8()?;
        return reader.read_var_u32().map(Some);
    }
    reader.read::<ComponentType<'_>>()?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a component with `levels` nested instance types, in as few bytes as possible.
    fn nested(levels: usize, holder: u8) -> Vec<u8> {
        let mut types = vec![1];
        for _ in 1..levels {
            types.extend([holder, 1, 1]);
        }
        types.extend([holder, 0]);
        let mut component = b"\0asm\x0d\0\x01\0\x07".to_vec();
        let mut size = types.len();
        while size >= 0x80 {
            component.push(size as u8 | 0x80);
            size >>= 7;
        }
        component.push(size as u8);
        component.extend(types);
        component
    }

    #[test]
    fn depth_is_found_out_without_the_stack() {
        for holder in HOLDERS {
            assert!(check_nesting(&nested(MAX_LEVELS, holder)).is_ok());
            for levels in [MAX_LEVELS + 1, 1_000, 100_000, 5_000_000] {
                let error = check_nesting(&nested(levels, holder)).unwrap_err();
                assert!(error.to_string().contains("in one another, got more"), "{error}");
            }
        }
    }

    #[test]
    fn declarations_of_every_kind_are_passed_over() {
        let wat = r#"(component
            (type (component
                (core type (func (param i32)))
                (type $t (record (field "a" u8)))
                (import "i" (instance (alias outer 1 $t (type $u)) (export "t" (type (eq $u)))))
                (import "f" (func (param "x" (list string)) (result (option u8))))
                (type (instance (type (instance (export "r" (type (sub resource)))))))
                (export "e" (func))))
            (type (func)) (type (resource (rep i32))))"#;
        assert!(check_nesting(&wat::parse_str(wat).unwrap()).is_ok());
        for junk in [
            &b""[..],
            b"junk",
            b"\0asm\x0d\0\x01\0\x07\x03\x01\x42\xff",
            b"\0asm\x0d\0\x01\0\x07\x05\x01\x42\x01\x05\x00",
        ] {
            assert!(check_nesting(junk).is_err(), "{junk:?}");
        }
    }
}
