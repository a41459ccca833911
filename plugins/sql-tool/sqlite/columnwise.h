/*
** Queries over tables of the session, column by column: the code generator writes what a query does as a text, and asks the
** plugin whether it can do that with the same result (src/groups).
**
** Aggregate functions, with and without GROUP BY: the code generator makes a loop over finished groups beside the usual code. The
** usual code stays, and runs if the plugin declines while the query runs.
**
** ORDER BY with LIMIT: scans of, and look-ups in, the table of the first ORDER BY column leave out rows that cannot be among the
** first ones. All else is the usual code.
**
** SQLite has resolved all names, collations and functions before, so nothing is guessed here. What is not listed below makes the
** plan bad, and the query takes the usual way.
**
** Included in the source of SQLite before sqlite3Select().
*/

/* Set once by the plugin, before the first statement. */
const void *mitt_module = 0;                  /* The module of the tables of the session */
int (*mitt_table_number)(sqlite3_vtab*) = 0;
int (*mitt_accepts_groups)(const char*) = 0;
int (*mitt_accepts_top)(const char*) = 0;

/* The plans of a cursor, as in src/virtual_table.rs. Look-ups in a column have the number of the column. */
#define MITT_SCAN (-1)
#define MITT_GROUPS (-3)

/* Longest plan, in bytes. BETWEEN, IN and CASE write an expression several times, so that nested ones grow without end. */
#define MITT_LONGEST_PLAN 65536

/* Most rows of a LIMIT for which rows are left out. */
#define MITT_MOST_ROWS 10000

/* A plan that is being written. */
typedef struct MittPlan MittPlan;
struct MittPlan {
  Parse *pParse;
  SrcList *pTabList;
  AggInfo *pAggInfo;
  sqlite3_str *pOut;
  int outer;            /* True within the condition of a LEFT JOIN */
  int bad;
};

/* What sqlite3Select() keeps of a query with aggregate functions. */
typedef struct MittLoop MittLoop;
struct MittLoop {
  char *zPlan;          /* NULL if the query takes the usual way only */
  int regFast;          /* Not 0 while groups are finished */
  int lblFast;          /* With GROUP BY, the loop over finished groups; without, the end of both ways */
  int lblSlow;          /* The usual way */
};

static int mittIsBinary(CollSeq *pColl){
  return pColl==0 || sqlite3IsBinary(pColl);
}

/* The place of the column of an expression in the list of tables and in its table; 0 if it is no column. */
static int mittColumn(MittPlan *p, const Expr *pExpr, int *piTable, int *piColumn){
  int iCursor, i;
  if( pExpr->op==TK_AGG_COLUMN && pExpr->pAggInfo==p->pAggInfo ){
    iCursor = p->pAggInfo->aCol[pExpr->iAgg].iTable;
    *piColumn = p->pAggInfo->aCol[pExpr->iAgg].iColumn;
  }else if( pExpr->op==TK_COLUMN && !ExprHasProperty(pExpr, EP_FixedCol) ){
    iCursor = pExpr->iTable;
    *piColumn = pExpr->iColumn;
  }else{
    return 0;
  }
  for(i=0; i<p->pTabList->nSrc; i++){
    if( p->pTabList->a[i].iCursor==iCursor ){
      *piTable = i;
      return *piColumn>=0;
    }
  }
  return 0;
}

/* Write a number, as codeInteger() and codeReal() read it. */
static void mittNumber(MittPlan *p, const Expr *pExpr, int negative){
  if( pExpr->op==TK_INTEGER ){
    i64 value;
    if( pExpr->flags & EP_IntValue ){
      value = pExpr->u.iValue;
    }else if( sqlite3DecOrHexToI64(pExpr->u.zToken, &value)!=0 || value<0 ){
      p->bad = 1;
      return;
    }
    sqlite3_str_appendf(p->pOut, " i %lld", negative ? -value : value);
  }else if( pExpr->op==TK_FLOAT ){
    double value;
    i64 bits;
    sqlite3AtoF(pExpr->u.zToken, &value);
    if( negative ) value = -value;
    memcpy(&bits, &value, 8);
    sqlite3_str_appendf(p->pOut, " r %lld", bits);
  }else{
    p->bad = 1;
  }
}

static void mittText(MittPlan *p, const char *z){
  sqlite3_str_appendall(p->pOut, " x");
  for(; *z; z++) sqlite3_str_appendf(p->pOut, "%02x", *(const u8*)z);
}

static void mittExpr(MittPlan*, Expr*);

static void mittPair(MittPlan *p, const char *zName, Expr *pLeft, Expr *pRight){
  sqlite3_str_appendall(p->pOut, zName);
  mittExpr(p, pLeft);
  mittExpr(p, pRight);
}

static void mittCompare(MittPlan *p, const char *zName, Expr *pExpr){
  if( !mittIsBinary(sqlite3ExprCompareCollSeq(p->pParse, pExpr)) ) p->bad = 1;
  mittPair(p, zName, pExpr->pLeft, pExpr->pRight);
}

/* CASE, also the form that compares each WHEN with a base. */
static void mittCase(MittPlan *p, Expr *pExpr){
  ExprList *pList = pExpr->x.pList;
  int i;
  if( !ExprUseXList(pExpr) ){ p->bad = 1; return; }
  sqlite3_str_appendf(p->pOut, " case %d", pList->nExpr/2);
  for(i=0; i+1<pList->nExpr; i+=2){
    Expr *pWhen = pList->a[i].pExpr;
    if( pExpr->pLeft ){
      if( !mittIsBinary(sqlite3BinaryCompareCollSeq(p->pParse, pExpr->pLeft, pWhen)) ) p->bad = 1;
      mittPair(p, " eq", pExpr->pLeft, pWhen);
    }else{
      mittExpr(p, pWhen);
    }
    mittExpr(p, pList->a[i+1].pExpr);
  }
  if( i<pList->nExpr ){
    mittExpr(p, pList->a[i].pExpr);
  }else{
    sqlite3_str_appendall(p->pOut, " null");
  }
}

/* IN with a list: one comparison after another. */
static void mittIn(MittPlan *p, Expr *pExpr){
  int i;
  if( !ExprUseXList(pExpr) || pExpr->x.pList==0 || pExpr->x.pList->nExpr<1 || pExpr->x.pList->nExpr>64
   || !mittIsBinary(sqlite3ExprCollSeq(p->pParse, pExpr->pLeft)) ){
    p->bad = 1;
    return;
  }
  for(i=1; i<pExpr->x.pList->nExpr; i++) sqlite3_str_appendall(p->pOut, " or");
  for(i=0; i<pExpr->x.pList->nExpr; i++) mittPair(p, " eq", pExpr->pLeft, pExpr->x.pList->a[i].pExpr);
}

static void mittBetween(MittPlan *p, Expr *pExpr){
  Expr *pLow, *pHigh;
  if( !ExprUseXList(pExpr) || pExpr->x.pList->nExpr!=2 ){ p->bad = 1; return; }
  pLow = pExpr->x.pList->a[0].pExpr;
  pHigh = pExpr->x.pList->a[1].pExpr;
  if( !mittIsBinary(sqlite3BinaryCompareCollSeq(p->pParse, pExpr->pLeft, pLow))
   || !mittIsBinary(sqlite3BinaryCompareCollSeq(p->pParse, pExpr->pLeft, pHigh)) ) p->bad = 1;
  sqlite3_str_appendall(p->pOut, " and");
  mittPair(p, " ge", pExpr->pLeft, pLow);
  mittPair(p, " le", pExpr->pLeft, pHigh);
}

/* Write an expression: its name first, then its parts. */
static void mittExpr(MittPlan *p, Expr *pExpr){
  int iTable, iColumn;
  if( pExpr==0 ) p->bad = 1;
  if( p->bad ) return;
  if( (ExprHasProperty(pExpr, EP_OuterON) && !p->outer) || sqlite3_str_errcode(p->pOut)
   || sqlite3_str_length(p->pOut)>MITT_LONGEST_PLAN ){
    p->bad = 1;
    return;
  }
  switch( pExpr->op ){
    case TK_COLUMN:
    case TK_AGG_COLUMN:
      if( !mittColumn(p, pExpr, &iTable, &iColumn) ){ p->bad = 1; return; }
      sqlite3_str_appendf(p->pOut, " c %d %d", iTable, iColumn);
      break;
    case TK_INTEGER:
    case TK_FLOAT:
      mittNumber(p, pExpr, 0);
      break;
    case TK_UMINUS:
      if( pExpr->pLeft->op==TK_INTEGER || pExpr->pLeft->op==TK_FLOAT ){
        mittNumber(p, pExpr->pLeft, 1);
      }else{
        sqlite3_str_appendall(p->pOut, " minus i 0");
        mittExpr(p, pExpr->pLeft);
      }
      break;
    case TK_PLUS: mittPair(p, " plus", pExpr->pLeft, pExpr->pRight); break;
    case TK_MINUS: mittPair(p, " minus", pExpr->pLeft, pExpr->pRight); break;
    case TK_STAR: mittPair(p, " times", pExpr->pLeft, pExpr->pRight); break;
    case TK_STRING: mittText(p, pExpr->u.zToken); break;
    case TK_NULL: sqlite3_str_appendall(p->pOut, " null"); break;
    case TK_AND: mittPair(p, " and", pExpr->pLeft, pExpr->pRight); break;
    case TK_OR: mittPair(p, " or", pExpr->pLeft, pExpr->pRight); break;
    case TK_NOT: sqlite3_str_appendall(p->pOut, " not"); mittExpr(p, pExpr->pLeft); break;
    case TK_ISNULL: sqlite3_str_appendall(p->pOut, " isnull"); mittExpr(p, pExpr->pLeft); break;
    case TK_NOTNULL: sqlite3_str_appendall(p->pOut, " not isnull"); mittExpr(p, pExpr->pLeft); break;
    case TK_EQ: mittCompare(p, " eq", pExpr); break;
    case TK_NE: mittCompare(p, " ne", pExpr); break;
    case TK_LT: mittCompare(p, " lt", pExpr); break;
    case TK_LE: mittCompare(p, " le", pExpr); break;
    case TK_GT: mittCompare(p, " gt", pExpr); break;
    case TK_GE: mittCompare(p, " ge", pExpr); break;
    case TK_BETWEEN: mittBetween(p, pExpr); break;
    case TK_IN: mittIn(p, pExpr); break;
    case TK_CASE: mittCase(p, pExpr); break;
    default: p->bad = 1;
  }
}

/* Write the numbers of the tables, and which of them are at the right of a LEFT JOIN. */
static void mittTables(MittPlan *p){
  int i;
  sqlite3_str_appendf(p->pOut, "%d", p->pTabList->nSrc);
  for(i=0; i<p->pTabList->nSrc; i++){
    SrcItem *pItem = &p->pTabList->a[i];
    VTable *pVTab;
    if( pItem->fg.isSubquery || pItem->fg.viaCoroutine || pItem->fg.isTabFunc || pItem->fg.fromExists
     || (pItem->fg.jointype & (JT_RIGHT|JT_LTORJ|JT_ERROR))
     || ((pItem->fg.jointype & JT_OUTER)!=0)!=((pItem->fg.jointype & JT_LEFT)!=0)
     || pItem->pSTab==0 || !IsVirtual(pItem->pSTab)
     || (pVTab = sqlite3GetVTable(p->pParse->db, pItem->pSTab))==0
     || (const void*)pVTab->pVtab->pModule!=mitt_module
    ){
      p->bad = 1;
      return;
    }
    sqlite3_str_appendf(p->pOut, " %d %d", mitt_table_number(pVTab->pVtab), (pItem->fg.jointype & JT_LEFT)!=0);
  }
}

/* Write the columns by which rows are grouped, and check that no others are read of a group. */
static void mittKeys(MittPlan *p, ExprList *pGroupBy){
  int i, iTable, iColumn;
  int n = pGroupBy ? pGroupBy->nExpr : 0;
  sqlite3_str_appendf(p->pOut, " %d", n);
  for(i=0; i<n; i++){
    Expr *pExpr = pGroupBy->a[i].pExpr;
    u8 sort = pGroupBy->a[i].fg.sortFlags;
    if( (sort & KEYINFO_ORDER_BIGNULL) || !mittColumn(p, pExpr, &iTable, &iColumn)
     || !mittIsBinary(sqlite3ExprNNCollSeq(p->pParse, pExpr)) ){
      p->bad = 1;
      return;
    }
    sqlite3_str_appendf(p->pOut, " %d %d %d", iTable, iColumn, (sort & KEYINFO_ORDER_DESC)!=0);
  }
}

/* The key that is a column of the result; -1 if none is. */
static int mittKeyOf(MittPlan *p, ExprList *pGroupBy, struct AggInfo_col *pCol){
  int i;
  for(i=0; pGroupBy && i<pGroupBy->nExpr; i++){
    int iTable, iColumn;
    if( mittColumn(p, pGroupBy->a[i].pExpr, &iTable, &iColumn)
     && p->pTabList->a[iTable].iCursor==pCol->iTable && iColumn==pCol->iColumn ) return i;
  }
  return -1;
}

/* Write the conditions: the parts of WHERE and ON. Those of a LEFT JOIN have the place of its right table. */
static void mittWhere(MittPlan *p, Expr *pWhere){
  while( pWhere && pWhere->op==TK_AND && !p->bad ){
    mittWhere(p, pWhere->pLeft);
    pWhere = pWhere->pRight;
  }
  if( pWhere==0 || p->bad ) return;
  if( ExprHasProperty(pWhere, EP_OuterON) ){
    int i;
    for(i=0; i<p->pTabList->nSrc && p->pTabList->a[i].iCursor!=pWhere->w.iJoin; i++){}
    sqlite3_str_appendf(p->pOut, " left %d", i);
    p->outer = 1;
    mittExpr(p, pWhere);
    p->outer = 0;
  }else{
    sqlite3_str_appendall(p->pOut, " where");
    mittExpr(p, pWhere);
  }
}

static void mittFunction(MittPlan *p, struct AggInfo_func *pFunc){
  Expr *pExpr = pFunc->pFExpr;
  Expr *pArg = 0;
  Expr *pFilter = 0;
  if( pFunc->pFunc==0 || pFunc->iDistinct>=0 || pFunc->iOBTab>=0 || !ExprUseXList(pExpr)
   || (pExpr->x.pList && pExpr->x.pList->nExpr>1) ){
    p->bad = 1;
    return;
  }
  if( pExpr->x.pList && pExpr->x.pList->nExpr==1 ) pArg = pExpr->x.pList->a[0].pExpr;
  if( ExprHasProperty(pExpr, EP_WinFunc) ) pFilter = pExpr->y.pWin->pFilter;
  if( pArg && (pFunc->pFunc->funcFlags & SQLITE_FUNC_NEEDCOLL)
   && !mittIsBinary(sqlite3ExprNNCollSeq(p->pParse, pArg)) ) p->bad = 1;
  sqlite3_str_appendf(p->pOut, " %s %d %d", pFunc->pFunc->zName, pArg!=0, pFilter!=0);
  if( pArg ) mittExpr(p, pArg);
  if( pFilter ) mittExpr(p, pFilter);
}

/* Write the plan of a query with aggregate functions, and ask for it. */
static void mittAsk(Parse *pParse, Select *p, SrcList *pTabList, Expr *pWhere, AggInfo *pAggInfo, MittLoop *pLoop){
  MittPlan plan;
  char *zPlan;
  int i;
  memset(pLoop, 0, sizeof(*pLoop));
  if( pParse->nErr || mitt_accepts_groups==0 || p->pWin || pTabList->nSrc<1 || pTabList->nSrc>8 ) return;
  memset(&plan, 0, sizeof(plan));
  plan.pParse = pParse;
  plan.pTabList = pTabList;
  plan.pAggInfo = pAggInfo;
  plan.pOut = sqlite3_str_new(0);
  mittTables(&plan);
  if( !plan.bad ) mittKeys(&plan, p->pGroupBy);
  for(i=0; i<pAggInfo->nAccumulator && !plan.bad; i++){
    if( mittKeyOf(&plan, p->pGroupBy, &pAggInfo->aCol[i])<0 ) plan.bad = 1;
  }
  if( !plan.bad ) mittWhere(&plan, pWhere);
  sqlite3_str_appendf(plan.pOut, " functions %d", pAggInfo->nFunc);
  for(i=0; i<pAggInfo->nFunc && !plan.bad; i++) mittFunction(&plan, &pAggInfo->aFunc[i]);
  if( sqlite3_str_errcode(plan.pOut) ) plan.bad = 1;
  zPlan = sqlite3_str_finish(plan.pOut);
  if( zPlan==0 ) return;
  if( plan.bad || !mitt_accepts_groups(zPlan) ){
    sqlite3_free(zPlan);
    return;
  }
  pLoop->zPlan = sqlite3ParserAddCleanup(pParse, sqlite3DbFree, zPlan);
  if( pLoop->zPlan==0 ) return;
  pLoop->regFast = ++pParse->nMem;
  pLoop->lblFast = sqlite3VdbeMakeLabel(pParse);
  pLoop->lblSlow = sqlite3VdbeMakeLabel(pParse);
}

/* Open a cursor over finished groups. Without any, jump to addrEmpty; if the plugin declines, take the usual way. */
static int mittOpen(Parse *pParse, SrcList *pTabList, MittLoop *pLoop, int addrEmpty){
  Vdbe *v = pParse->pVdbe;
  VTable *pVTab = sqlite3GetVTable(pParse->db, pTabList->a[0].pSTab);
  int iCur = pParse->nTab++;
  int regArg = pParse->nMem+1;
  pParse->nMem += 2;
  sqlite3VdbeAddOp4(v, OP_VOpen, iCur, 0, 0, (const char*)pVTab, P4_VTAB);
  sqlite3VdbeAddOp2(v, OP_Integer, MITT_GROUPS, regArg);
  sqlite3VdbeAddOp2(v, OP_Integer, 0, regArg+1);
  sqlite3VdbeAddOp4(v, OP_VFilter, iCur, addrEmpty, regArg, pLoop->zPlan, 0);
  sqlite3VdbeAddOp3(v, OP_VColumn, iCur, 0, pLoop->regFast);
  sqlite3VdbeAddOp2(v, OP_IfNot, pLoop->regFast, pLoop->lblSlow);
  return iCur;
}

/* Begin a query with GROUP BY: jump to the loop over finished groups, if there will be one. */
static void mittBegin(Parse *pParse, Select *p, SrcList *pTabList, Expr *pWhere, AggInfo *pAggInfo, MittLoop *pLoop){
  mittAsk(pParse, p, pTabList, pWhere, pAggInfo, pLoop);
  if( pLoop->zPlan==0 ) return;
  sqlite3VdbeAddOp2(pParse->pVdbe, OP_Integer, 0, pLoop->regFast);
  sqlite3VdbeAddOp2(pParse->pVdbe, OP_Goto, 0, pLoop->lblFast);
  sqlite3VdbeResolveLabel(pParse->pVdbe, pLoop->lblSlow);
}

/* Generate the loop over finished groups: their keys, and the results of the functions. */
static void mittGroups(
  Parse *pParse, Select *p, SrcList *pTabList, AggInfo *pAggInfo, MittLoop *pLoop,
  int iAMem, int iUseFlag, int iAbortFlag, int regOutputRow, int addrOutputRow, int addrEnd
){
  Vdbe *v = pParse->pVdbe;
  int nKey = p->pGroupBy->nExpr;
  int iCur, addrTop, i;
  MittPlan plan;
  if( pLoop->zPlan==0 ) return;
  memset(&plan, 0, sizeof(plan));
  plan.pTabList = pTabList;
  plan.pAggInfo = pAggInfo;
  sqlite3VdbeResolveLabel(v, pLoop->lblFast);
  iCur = mittOpen(pParse, pTabList, pLoop, addrEnd);
  addrTop = sqlite3VdbeCurrentAddr(v);
  for(i=0; i<nKey; i++) sqlite3VdbeAddOp3(v, OP_VColumn, iCur, 1+i, iAMem+i);
  for(i=0; i<pAggInfo->nAccumulator; i++){
    int iKey = mittKeyOf(&plan, p->pGroupBy, &pAggInfo->aCol[i]);
    sqlite3VdbeAddOp3(v, OP_VColumn, iCur, 1+iKey, AggInfoColumnReg(pAggInfo, i));
  }
  for(i=0; i<pAggInfo->nFunc; i++) sqlite3VdbeAddOp3(v, OP_VColumn, iCur, 1+nKey+i, AggInfoFuncReg(pAggInfo, i));
  sqlite3VdbeAddOp2(v, OP_Integer, 1, iUseFlag);
  sqlite3VdbeAddOp2(v, OP_Gosub, regOutputRow, addrOutputRow);
  sqlite3VdbeAddOp2(v, OP_IfPos, iAbortFlag, addrEnd);
  sqlite3VdbeAddOp2(v, OP_VNext, iCur, addrTop);
  sqlite3VdbeGoto(v, addrEnd);
}

/* Generate the results of functions over all rows, without GROUP BY. The usual code follows. */
static void mittWhole(Parse *pParse, Select *p, SrcList *pTabList, Expr *pWhere, AggInfo *pAggInfo, MittLoop *pLoop){
  Vdbe *v = pParse->pVdbe;
  int iCur, i;
  mittAsk(pParse, p, pTabList, pWhere, pAggInfo, pLoop);
  if( pLoop->zPlan==0 ) return;
  /* There is always one group. */
  iCur = mittOpen(pParse, pTabList, pLoop, pLoop->lblSlow);
  for(i=0; i<pAggInfo->nFunc; i++) sqlite3VdbeAddOp3(v, OP_VColumn, iCur, 1+i, AggInfoFuncReg(pAggInfo, i));
  sqlite3VdbeGoto(v, pLoop->lblFast);
  sqlite3VdbeResolveLabel(v, pLoop->lblSlow);
}

/* After the usual code, the end of both ways. */
static void mittEnd(Parse *pParse, MittLoop *pLoop){
  if( pLoop->zPlan ) sqlite3VdbeResolveLabel(pParse->pVdbe, pLoop->lblFast);
}

/* The value of a whole number in LIMIT or OFFSET; -1 if it is something else or too large. */
static int mittLimit(const Expr *pExpr){
  if( pExpr==0 ) return 0;
  if( pExpr->op!=TK_INTEGER || !ExprHasProperty(pExpr, EP_IntValue) ) return -1;
  return pExpr->u.iValue<=MITT_MOST_ROWS ? pExpr->u.iValue : -1;
}

/*
** Let scans of the table of the first ORDER BY column leave out rows that cannot be among the first ones of the result. They were
** generated before. All conditions must be known, so that no row that is counted is dropped later. Result and ORDER BY must be
** columns, because other expressions may count something for the warnings, for each row.
*/
static void mittTop(Parse *pParse, Select *p, SrcList *pTabList, Expr *pWhere, ExprList *pOrderBy){
  MittPlan plan;
  char *zPlan;
  Vdbe *v = pParse->pVdbe;
  int i, iTable, iColumn, nLimit, nOffset, addr;
  if( pParse->nErr || mitt_accepts_top==0 || pOrderBy==0 || p->pLimit==0 || p->pWin || p->pPrior || p->pNext
   || (p->selFlags & (SF_Distinct|SF_Aggregate|SF_Compound|SF_Recursive)) || pTabList->nSrc<1 || pTabList->nSrc>8 ) return;
  nLimit = mittLimit(p->pLimit->pLeft);
  nOffset = mittLimit(p->pLimit->pRight);
  if( nLimit<1 || nOffset<0 ) return;
  memset(&plan, 0, sizeof(plan));
  plan.pParse = pParse;
  plan.pTabList = pTabList;
  for(i=0; i<pOrderBy->nExpr; i++){
    if( pOrderBy->a[i].pExpr->op!=TK_COLUMN ) return;
  }
  for(i=0; i<p->pEList->nExpr; i++){
    int op = p->pEList->a[i].pExpr->op;
    if( op!=TK_COLUMN && op!=TK_INTEGER && op!=TK_STRING ) return;
  }
  /* Without a row at the right of a LEFT JOIN, there would be one of nulls. */
  if( !mittColumn(&plan, pOrderBy->a[0].pExpr, &iTable, &iColumn)
   || (pTabList->a[iTable].fg.jointype & JT_LEFT)
   || !mittIsBinary(sqlite3ExprNNCollSeq(pParse, pOrderBy->a[0].pExpr))
   || (pOrderBy->a[0].fg.sortFlags & KEYINFO_ORDER_BIGNULL) ) return;
  plan.pOut = sqlite3_str_new(0);
  mittTables(&plan);
  sqlite3_str_appendf(plan.pOut, " 1 %d %d %d", iTable, iColumn,
      (pOrderBy->a[0].fg.sortFlags & KEYINFO_ORDER_DESC)!=0);
  if( !plan.bad ) mittWhere(&plan, pWhere);
  sqlite3_str_appendf(plan.pOut, " functions 0 %d", nLimit+nOffset);
  if( sqlite3_str_errcode(plan.pOut) ) plan.bad = 1;
  zPlan = sqlite3_str_finish(plan.pOut);
  if( zPlan==0 ) return;
  if( !plan.bad && mitt_accepts_top(zPlan) ){
    for(addr=sqlite3VdbeCurrentAddr(v)-1; addr>=2; addr--){
      VdbeOp *pOp = sqlite3VdbeGetOp(v, addr);
      if( pOp->opcode==OP_VFilter && pOp->p1==pTabList->a[iTable].iCursor
       && pOp[-2].opcode==OP_Integer && pOp[-2].p2==pOp->p3 && pOp[-2].p1>=MITT_SCAN && pOp->p4.z==0 ){
        sqlite3VdbeChangeP4(v, addr, zPlan, 0);
      }
    }
  }
  sqlite3_free(zPlan);
}
