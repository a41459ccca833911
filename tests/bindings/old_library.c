/* A library of another version than the bindings expect, and with no other function. */
#include <stdint.h>

uint32_t mitt_abi_version(void) {
    return 2;
}
