using System;
using System.Runtime.InteropServices;

namespace Mitt
{
    /// <summary>The structure <c>mitt_bytes</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeBytes
    {
        public IntPtr Data;
        public ulong Length;
        public ulong Buffer;
    }

    // The functions of mitt.h. A handle and a size_t are a ulong.
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate uint AbiVersion();

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate IntPtr Version();

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate IntPtr CodeName(int code);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int WithHandle(ulong handle);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int BytesFree(ref NativeBytes bytes);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int ReplySet(ulong reply, byte[] data, ulong length);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int Answering(IntPtr userData, IntPtr request, ulong length, ulong reply);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate void Receiving(IntPtr userData, IntPtr json, ulong length);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate void Freeing(IntPtr userData);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int CancelNew(out ulong result, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int HostNew(byte[] options, ulong length, out ulong result, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int HostAddTool(
        ulong host, byte[] definition, ulong length, Answering tool, IntPtr userData, Freeing free, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int SessionNew(
        ulong host, byte[] options, ulong length, Receiving events, IntPtr userData, Freeing free, out ulong result, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int ThreeTexts(
        ulong session, byte[] first, ulong firstLength, byte[] second, ulong secondLength, byte[] third, ulong thirdLength, ulong cancel,
        out NativeBytes result, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int TwoTexts(
        ulong session, byte[] first, ulong firstLength, byte[] second, ulong secondLength, ulong cancel, out NativeBytes result,
        out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int OneText(ulong session, byte[] text, ulong length, out NativeBytes result, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int NoText(ulong session, out NativeBytes result, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int SessionTools(ulong session, ulong cancel, out NativeBytes result, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int AddTable(ulong session, byte[] name, ulong length, IntPtr stream, ulong cancel, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int GetTable(ulong session, byte[] reference, ulong length, IntPtr stream, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int AgentRun(
        ulong session, byte[] instruction, ulong instructionLength, byte[] options, ulong optionsLength, Answering model, IntPtr userData,
        Freeing free, ulong cancel, out NativeBytes result, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int Render(
        byte[] format, ulong formatLength, byte[] markdown, ulong markdownLength, byte[] options, ulong optionsLength, ulong cancel,
        out NativeBytes result, IntPtr report, out NativeBytes error);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int Fill(
        byte[] data, ulong dataLength, byte[] values, ulong valuesLength, byte[] options, ulong optionsLength, ulong cancel,
        out NativeBytes result, IntPtr report, out NativeBytes error);

    /// <summary>The functions of a library that was loaded.</summary>
    internal sealed class Functions
    {
        public readonly Version Version;
        public readonly CodeName CodeName;
        public readonly WithHandle HandleFree, CancelSet;
        public readonly BytesFree BytesFree;
        public readonly ReplySet ReplySet;
        public readonly CancelNew CancelNew;
        public readonly HostNew HostNew;
        public readonly HostAddTool HostAddTool;
        public readonly SessionNew SessionNew;
        public readonly ThreeTexts AddDocument, Call, Script;
        public readonly TwoTexts Resume;
        public readonly OneText Artifact;
        public readonly NoText State, Artifacts;
        public readonly SessionTools Tools;
        public readonly AddTable AddTable;
        public readonly GetTable Table;
        public readonly AgentRun AgentRun;
        public readonly Render Render;
        public readonly Fill Fill;

        public Functions(IntPtr library)
        {
            Version = Loader.Find<Version>(library, "mitt_version");
            CodeName = Loader.Find<CodeName>(library, "mitt_code_name");
            HandleFree = Loader.Find<WithHandle>(library, "mitt_handle_free");
            CancelSet = Loader.Find<WithHandle>(library, "mitt_cancel_set");
            BytesFree = Loader.Find<BytesFree>(library, "mitt_bytes_free");
            ReplySet = Loader.Find<ReplySet>(library, "mitt_reply_set");
            CancelNew = Loader.Find<CancelNew>(library, "mitt_cancel_new");
            HostNew = Loader.Find<HostNew>(library, "mitt_host_new");
            HostAddTool = Loader.Find<HostAddTool>(library, "mitt_host_add_tool");
            SessionNew = Loader.Find<SessionNew>(library, "mitt_session_new");
            AddDocument = Loader.Find<ThreeTexts>(library, "mitt_session_add_document");
            Call = Loader.Find<ThreeTexts>(library, "mitt_session_call");
            Script = Loader.Find<ThreeTexts>(library, "mitt_session_script");
            Resume = Loader.Find<TwoTexts>(library, "mitt_session_resume");
            Artifact = Loader.Find<OneText>(library, "mitt_session_artifact");
            State = Loader.Find<NoText>(library, "mitt_session_state");
            Artifacts = Loader.Find<NoText>(library, "mitt_session_artifacts");
            Tools = Loader.Find<SessionTools>(library, "mitt_session_tools");
            AddTable = Loader.Find<AddTable>(library, "mitt_session_add_table");
            Table = Loader.Find<GetTable>(library, "mitt_session_table");
            AgentRun = Loader.Find<AgentRun>(library, "mitt_agent_run");
            Render = Loader.Find<Render>(library, "mitt_render");
            Fill = Loader.Find<Fill>(library, "mitt_fill");
        }
    }
}
