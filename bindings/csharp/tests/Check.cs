using System;
using System.Collections.Generic;
using System.Threading;
using Mitt;

/// <summary>What the tests say of values: a failed check is an error with its place.</summary>
internal static class Check
{
    internal sealed class Failed : Exception
    {
        internal Failed(string message) : base(message)
        {
        }
    }

    internal static void That(bool holds, object got)
    {
        if (!holds)
        {
            throw new Failed("got " + got);
        }
    }

    internal static void Equal(object expected, object got) => That(Equals(expected, got), $"expected {expected}, got {got}");

    internal static void Contains(string text, string part) => That(text != null && text.Contains(part), $"expected `{part}` in: {text}");

    /// <summary>Runs code that must fail with an error of Mitt, whose kind and text are checked.</summary>
    internal static MittException Fails(string kind, string part, Action code)
    {
        var error = Fails<MittException>(code);
        Equal(kind, error.Kind);
        Contains(error.Message, part);
        return error;
    }

    internal static E Fails<E>(Action code) where E : Exception
    {
        try
        {
            code();
        }
        catch (E error)
        {
            return error;
        }
        throw new Failed($"expected {typeof(E)}, got no error");
    }

    /// <summary>Returns a value of a JSON text, by keys and indexes.</summary>
    internal static object At(string json, params object[] path)
    {
        object value = Json.Parse(json);
        foreach (object step in path)
        {
            value = step is int index ? ((List<object>)value)[index] : ((Dictionary<string, object>)value)[(string)step];
        }
        return value;
    }

    internal static string Text(string json, params object[] path) => Convert.ToString(At(json, path));

    /// <summary>Waits until something holds, at most ten seconds.</summary>
    internal static void Becomes(Func<bool> holds)
    {
        for (int tries = 0; tries < 500 && !holds(); tries++)
        {
            Thread.Sleep(20);
        }
        That(holds(), "something that does not become true");
    }
}
