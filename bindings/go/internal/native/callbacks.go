package native

/*
#include "library.h"

static mitt_code set_reply(uint64_t reply, uint8_t *data, size_t length) { return mitt.reply_set(reply, data, length); }
*/
import "C"

import (
	"runtime/cgo"
	"sync/atomic"
	"unsafe"
)

// Answer is a tool or a model. The code is 0 if the answer is the result. No panic may leave it.
type Answer func(request []byte) (answer []byte, code int32)

// Receive receives an event. No panic may leave it.
type Receive func(event []byte)

var kept atomic.Int64

// Kept returns how many functions the library may still call.
func Kept() int64 { return kept.Load() }

// keep returns a number for a function, by which the library calls it. mittGoFree is called when it does not need it any more.
func keep(function any) C.uintptr_t {
	kept.Add(1)
	return C.uintptr_t(cgo.NewHandle(function))
}

//export mittGoAnswer
func mittGoAnswer(userData unsafe.Pointer, request *C.uint8_t, length C.size_t, reply C.uint64_t) C.int32_t {
	function := cgo.Handle(uintptr(userData)).Value().(Answer)
	answer, code := function(copied(request, length))
	if set := C.set_reply(reply, data(answer), size(answer)); set != 0 {
		return C.int32_t(set)
	}
	return C.int32_t(code)
}

//export mittGoReceive
func mittGoReceive(userData unsafe.Pointer, event *C.uint8_t, length C.size_t) {
	cgo.Handle(uintptr(userData)).Value().(Receive)(copied(event, length))
}

//export mittGoFree
func mittGoFree(userData unsafe.Pointer) {
	cgo.Handle(uintptr(userData)).Delete()
	kept.Add(-1)
}

func copied(bytes *C.uint8_t, length C.size_t) []byte {
	return C.GoBytes(unsafe.Pointer(bytes), C.int(length))
}
