using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using Mitt;

/// <summary>Files without a session, and tables by Arrow's C stream interface.</summary>
internal static class FileTests
{
    private const string Markdown = "# 报告\n\n| 月 | 金额 |\n|---|---:|\n| 1月 | 1,234.50 |\n";

    internal static void Add(MittTests.Tests tests, Host host)
    {
        tests.Add("markdown_becomes_five_formats", Render);
        tests.Add("a_template_is_filled", Fill);
        tests.Add("a_table_goes_from_one_session_to_another", () => Tables(host));
    }

    private static void Render()
    {
        var begins = new Dictionary<string, string>
        {
            { "pdf", "%PDF-" }, { "docx", "PK" }, { "pptx", "PK" }, { "xlsx", "PK" }, { "html", "<" },
        };
        foreach (var format in begins)
        {
            byte[] made = Files.Render(format.Key, Markdown, "{\"title\": \"T\"}");
            Check.Equal(format.Value, Encoding.ASCII.GetString(made, 0, format.Value.Length));
            Check.That(made.SequenceEqual(Files.Render(format.Key, Markdown, "{\"title\": \"T\"}")), format.Key);
        }
        Check.Equal("format", Check.Fails("arguments", "odt", () => Files.Render("odt", Markdown)).Place);
    }

    private static void Fill()
    {
        byte[] template = Files.Render("docx", "Dear {{name}}!");
        byte[] made = Files.Fill(template, "{\"name\": \"Ada\"}");
        Check.That(made.Length > 1000 && made[0] == 'P', made.Length);
        Check.Fails("arguments", "name", () => Files.Fill(template, "{}"));
        Check.Equal("template", Check.Fails("input", "template", () => Files.Fill(new byte[] { 1, 2, 3 }, "{}")).Place);
    }

    private static void Tables(Host host)
    {
        byte[] csv = Encoding.UTF8.GetBytes("city,people\nBonn,330\nUlm,130\n");
        // Five pointers, of which the fourth is `release`.
        IntPtr stream = Marshal.AllocHGlobal(5 * IntPtr.Size);
        try
        {
            using (Session from = host.Session())
            using (Session to = host.Session())
            {
                from.AddDocument("cities.csv", csv);
                from.Table("cities.csv", stream);
                Check.That(Marshal.ReadIntPtr(stream, 3 * IntPtr.Size) != IntPtr.Zero, "a released stream");
                to.AddTable("cities", stream);
                Check.Equal(IntPtr.Zero, Marshal.ReadIntPtr(stream, 3 * IntPtr.Size));
                Check.Contains(to.Call("sql_tool__query", "{\"sql\": \"SELECT sum(people) AS n FROM cities\"}"), "460");
                Check.Fails("input", "released", () => to.AddTable("cities", stream));
                Check.Equal("stream", Check.Fails("null-pointer", "stream", () => to.AddTable("cities", IntPtr.Zero)).Place);
                Check.Fails("input", "cities", () => to.Table("towns", stream));
            }
        }
        finally
        {
            Marshal.FreeHGlobal(stream);
        }
    }
}
