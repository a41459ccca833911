/* Compiles only if the functions of library.h are those of mitt.h. */
#include "mitt.h"

#include "../library.h"

_Static_assert(MITT_ABI_VERSION == 1, "native.go expects this version");
_Static_assert(sizeof(mitt_bytes) == 24 && offsetof(mitt_bytes, len) == 8 && offsetof(mitt_bytes, buffer) == 16,
               "library.h has this layout");

const struct functions of_the_header = {
    .abi_version = mitt_abi_version,
    .version = mitt_version,
    .code_name = mitt_code_name,
    .handle_free = mitt_handle_free,
    .bytes_free = mitt_bytes_free,
    .reply_set = mitt_reply_set,
    .cancel_new = mitt_cancel_new,
    .cancel_set = mitt_cancel_set,
    .host_new = mitt_host_new,
    .host_add_tool = mitt_host_add_tool,
    .session_new = mitt_session_new,
    .session_add_document = mitt_session_add_document,
    .session_add_table = mitt_session_add_table,
    .session_table = mitt_session_table,
    .session_state = mitt_session_state,
    .session_call = mitt_session_call,
    .session_script = mitt_session_script,
    .session_resume = mitt_session_resume,
    .session_tools = mitt_session_tools,
    .session_artifacts = mitt_session_artifacts,
    .session_artifact = mitt_session_artifact,
    .agent_run = mitt_agent_run,
    .render = mitt_render,
    .fill = mitt_fill,
};
