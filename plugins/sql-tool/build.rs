//! Compiles `libsqlite3.a` from the C source in the crate `libsqlite3-sys`. The source is changed as in [`CHANGES`], so that
//! arithmetic on numbers with a point goes through `src/decimal.rs`.
//!
//! Tests on the host use the same library, so that they test what the component does.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate with `sqlite3/sqlite3.c`. `Cargo.lock` fixes its version and its checksum.
const SOURCE_CRATE: &str = "libsqlite3-sys";

/// Replacements in the source. Each text must occur exactly once; otherwise SQLite has changed and the replacement must be
/// reviewed.
const CHANGES: [(&str, &str); 19] = [
    (
        "fp_math:\n    rA = sqlite3VdbeRealValue(pIn1);\n",
        "fp_math:\n    lossy = mitt_lossy(pIn1) | mitt_lossy(pIn2);\n    rA = sqlite3VdbeRealValue(pIn1);\n",
    ),
    (
        "      case OP_Add:         rB += rA;       break;\n      case OP_Subtract:    rB -= rA;       break;\n      case OP_Multiply:    rB *= rA;       break;\n",
        "      case OP_Add:         rB = mitt_arithmetic(0+lossy, rB, rA); break;\n      case OP_Subtract:    rB = mitt_arithmetic(1+lossy, rB, rA); break;\n      case OP_Multiply:    rB = mitt_arithmetic(2+lossy, rB, rA); break;\n",
    ),
    (
        "  double rB;      /* Real value of right operand */\n\n  pIn1 = &aMem[pOp->p1];\n  type1 = pIn1->flags;\n",
        "  double rB;      /* Real value of right operand */\n  int lossy;\n\n  pIn1 = &aMem[pOp->p1];\n  type1 = pIn1->flags;\n",
    ),
    (
        "        rB /= rA;\n        break;\n",
        "        rB = mitt_arithmetic(3+lossy, rB, rA);\n        break;\n",
    ),
    // Reports texts that are calculated with, for the warnings.
    (
        "    type1 = numericType(pIn1);\n    type2 = numericType(pIn2);\n",
        "    mitt_operand(pIn1);\n    mitt_operand(pIn2);\n    type1 = numericType(pIn1);\n    type2 = numericType(pIn2);\n",
    ),
    // Counts whole-number divisions that drop a remainder, for the warnings.
    (
        "        iB /= iA;\n        break;\n",
        "        if( iB % iA ) mitt_truncations++;\n        iB /= iA;\n        break;\n",
    ),
    // `5.5 % 2` is 1.5. SQLite would convert the operands to whole numbers.
    (
        "        iA = sqlite3VdbeIntValue(pIn1);\n        iB = sqlite3VdbeIntValue(pIn2);\n        if( iA==0 ) goto arithmetic_result_is_null;\n        if( iA==-1 ) iA = 1;\n        rB = (double)(iB % iA);\n",
        "        (void)iA; (void)iB;\n        if( rA==(double)0 ) goto arithmetic_result_is_null;\n        rB = mitt_arithmetic(4+lossy, rB, rA);\n",
    ),
    // Records with the same key are grouped before they are sorted.
    (
        "static int vdbeSorterSort(SortSubtask *pTask, SorterList *pList){\n  int i;\n",
        "#include \"groups.h\"\nstatic int vdbeSorterSort(SortSubtask *pTask, SorterList *pList){\n  int i;\n",
    ),
    (
        "  p = pList->pList;\n  pTask->xCompare = vdbeSorterGetCompare(pTask->pSorter);\n  memset(aSlot, 0, sizeof(aSlot));\n",
        "  p = pList->pList;\n  pTask->xCompare = vdbeSorterGetCompare(pTask->pSorter);\n  i = pTask->pSorter->pKeyInfo->nKeyField;\n  if( mittHasGroups(pList, i) ) return mittSortGroups(pTask, pList, i);\n  memset(aSlot, 0, sizeof(aSlot));\n",
    ),
    // Groups, and the first rows, of the session's tables are found column by column.
    (
        "SQLITE_PRIVATE int sqlite3Select(\n  Parse *pParse,         /* The parser context */\n",
        "#include \"columnwise.h\"\nSQLITE_PRIVATE int sqlite3Select(\n  Parse *pParse,         /* The parser context */\n",
    ),
    (
        "      ExprList *pDistinct = 0;\n      u16 distFlag = 0;\n",
        "      ExprList *pDistinct = 0;\n      MittLoop mittLoop;\n      int mittSkip = 0;\n      u16 distFlag = 0;\n",
    ),
    (
        "      sqlite3VdbeAddOp2(v, OP_Gosub, regReset, addrReset);\n      TREETRACE(0x2,pParse,p,(\"WhereBegin\\n\"));\n",
        "      mittBegin(pParse, p, pTabList, pWhere, pAggInfo, &mittLoop);\n      sqlite3VdbeAddOp2(v, OP_Gosub, regReset, addrReset);\n",
    ),
    (
        "      /* Jump over the subroutines\n      */\n      sqlite3VdbeGoto(v, addrEnd);\n",
        "      sqlite3VdbeGoto(v, addrEnd);\n      mittGroups(pParse, p, pTabList, pAggInfo, &mittLoop, iAMem, iUseFlag, iAbortFlag, regOutputRow, addrOutputRow, addrEnd);\n",
    ),
    (
        "      finalizeAggFunctions(pParse, pAggInfo);\n      sqlite3ExprIfFalse(pParse, pHaving, addrOutputRow+1, SQLITE_JUMPIFNULL);\n",
        "      if( mittLoop.zPlan ) mittSkip = sqlite3VdbeAddOp2(v, OP_If, mittLoop.regFast, 0);\n      finalizeAggFunctions(pParse, pAggInfo);\n      if( mittLoop.zPlan ) sqlite3VdbeJumpHere(v, mittSkip);\n      sqlite3ExprIfFalse(pParse, pHaving, addrOutputRow+1, SQLITE_JUMPIFNULL);\n",
    ),
    (
        "        int regAcc = 0;           /* \"populate accumulators\" flag */\n",
        "        int regAcc = 0;           /* \"populate accumulators\" flag */\n        MittLoop mittLoop;\n",
    ),
    (
        "        assert( p->pGroupBy==0 );\n        resetAccumulator(pParse, pAggInfo);\n",
        "        mittWhole(pParse, p, pTabList, pWhere, pAggInfo, &mittLoop);\n        resetAccumulator(pParse, pAggInfo);\n",
    ),
    (
        "        sqlite3WhereEnd(pWInfo);\n        finalizeAggFunctions(pParse, pAggInfo);\n      }\n",
        "        sqlite3WhereEnd(pWInfo);\n        finalizeAggFunctions(pParse, pAggInfo);\n        mittEnd(pParse, &mittLoop);\n      }\n",
    ),
    (
        "                               p->pEList, p, wctrlFlags, p->nSelectRow);\n    if( pWInfo==0 ) goto select_end;\n",
        "                               p->pEList, p, wctrlFlags, p->nSelectRow);\n    if( pWInfo==0 ) goto select_end;\n    mittTop(pParse, p, pTabList, pWhere, sSort.pOrderBy);\n",
    ),
    (
        "SQLITE_PRIVATE int sqlite3VdbeExec(\n  Vdbe *p                    /* The VDBE */\n){\n",
        "/* Set once by the plugin, before the first statement. */\ndouble (*mitt_arithmetic)(int, double, double) = 0;\nsqlite3_int64 mitt_truncations = 0;\n/* 8 if a number has more digits than its double may keep. */\nstatic int mitt_lossy(Mem *p){\n  if( p->flags & MEM_Int ) return (p->u.i > 999999999999999LL || p->u.i < -999999999999999LL) ? 8 : 0;\n  if( p->flags & MEM_Real ) return 0;\n  return (p->flags & (MEM_Str|MEM_Blob)) && p->n > 15 ? 8 : 0;\n}\nvoid (*mitt_text)(const char*, int) = 0;\nstatic void mitt_operand(Mem *p){\n  if( (p->flags & MEM_Str) && !(p->flags & (MEM_Int|MEM_Real|MEM_IntReal)) ) mitt_text(p->z, p->n);\n}\nSQLITE_PRIVATE int sqlite3VdbeExec(\n  Vdbe *p                    /* The VDBE */\n){\n",
    ),
];

/// How SQLite is compiled.
const OPTIONS: &[&str] = &[
    // Without files, see `sqlite/vfs.c`.
    "SQLITE_OS_OTHER=1",
    "SQLITE_TEMP_STORE=3",
    "SQLITE_OMIT_LOAD_EXTENSION",
    "SQLITE_OMIT_LOCALTIME",
    "SQLITE_OMIT_WAL",
    "SQLITE_OMIT_SHARED_CACHE",
    "SQLITE_OMIT_DEPRECATED",
    "SQLITE_OMIT_PROGRESS_CALLBACK",
    "SQLITE_OMIT_TCL_VARIABLE",
    "SQLITE_OMIT_UTF16",
    "SQLITE_OMIT_DESERIALIZE",
    "SQLITE_OMIT_INCRBLOB",
    "SQLITE_OMIT_TRACE",
    // `"text"` is a column or an error, never a string literal.
    "SQLITE_DQS=0",
    "SQLITE_DEFAULT_MEMSTATUS=1",
    "SQLITE_LIKE_DOESNT_MATCH_BLOBS",
    "SQLITE_MAX_EXPR_DEPTH=200",
    "SQLITE_ENABLE_MATH_FUNCTIONS",
    "SQLITE_ENABLE_COLUMN_METADATA",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=sqlite");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR"));
    let folder = source_folder();
    let mut source = changed(&folder.join("sqlite3.c"));
    if !is_wasm() {
        // `rusqlite` recognises a library without locks by this number and refuses it, because several threads could use it.
        // Tests take turns instead.
        source = source.replace("return (sqlite3_mutex*)8;", "return (sqlite3_mutex*)16;");
    }
    let file = out.join("sqlite3.c");
    std::fs::write(&file, source).expect("the output folder can be written to");
    let mut build = cc::Build::new();
    build.file(&file).file("sqlite/vfs.c").include(&folder).include("sqlite").warnings(false);
    for option in OPTIONS {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        build.define(name, (!value.is_empty()).then_some(value));
    }
    if is_wasm() {
        // The component has no system. Of wasi-libc it links only pure functions, which `build.sh` checks.
        let headers = env::var("WASI_HEADERS").unwrap_or("/usr/include/wasm32-wasi".into());
        let library = env::var("WASI_LIBRARY").unwrap_or("/usr/lib/wasm32-wasi".into());
        println!("cargo:rerun-if-env-changed=WASI_HEADERS");
        println!("cargo:rerun-if-env-changed=WASI_LIBRARY");
        build.target("wasm32-wasip1").flag("-isystem").flag(headers);
        // A query runs hundreds of SQLite's instructions for each row.
        build.opt_level(2);
        build.define("SQLITE_THREADSAFE", "0");
        println!("cargo:rustc-link-search=native={library}");
        build.compile("sqlite3");
        println!("cargo:rustc-link-lib=c");
    } else {
        // Unoptimised C is ten times slower, which is noticeable in tests that sort and join.
        build.opt_level(2);
        // Makes small tables take the code path of long ones: `sqlite/groups.h`.
        build.define("MITT_SAMPLE", "2").define("MITT_SAMPLE_GROUPS", "64");
        // `rusqlite` requires this. There are no locks without a system, so tests take turns.
        build.define("SQLITE_THREADSAFE", "1");
        build.compile("sqlite3");
    }
}

fn is_wasm() -> bool {
    env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32")
}

/// Returns the folder into which Cargo put the source.
#[allow(clippy::disallowed_methods, reason = "a build script asks Cargo, which is a program")]
fn source_folder() -> PathBuf {
    let cargo = env::var_os("CARGO").expect("Cargo names itself");
    let output = Command::new(cargo)
        // On a new machine, this also fetches what only other platforms need.
        .args(["metadata", "--format-version=1", "--locked"])
        .output()
        .expect("Cargo can be run");
    let text = String::from_utf8_lossy(&output.stdout);
    // A path has no quotation mark, so the text is found without a JSON parser.
    let path = text
        .split("\"manifest_path\":\"")
        .filter_map(|rest| rest.split('"').next())
        .find(|path| path.contains(&format!("/{SOURCE_CRATE}-")))
        .unwrap_or_else(|| {
            panic!("`{SOURCE_CRATE}` is not here: {}", String::from_utf8_lossy(&output.stderr))
        });
    Path::new(path).parent().expect("a manifest is in a folder").join("sqlite3")
}

fn changed(file: &Path) -> String {
    let mut source = std::fs::read_to_string(file).expect("the source of SQLite can be read");
    for (before, after) in CHANGES {
        assert_eq!(source.matches(before).count(), 1, "not exactly once in sqlite3.c:\n{before}");
        source = source.replace(before, after);
    }
    source
}
