/*
** Sorting of records of which many have the same key, as those of GROUP BY do: they are put together by a hash of the key, and
** only one of each group is compared with others. A million rows of five groups are then no longer compared some twenty million
** times, each time through the codec of records.
**
** Included in the source of SQLite before vdbeSorterSort(), which takes this way if the first records promise it. The order is the
** same: that of the keys, and of rows with the same key that in which they came. Only keys that differ and count as equal (`a` and `A`
** under NOCASE, 1 and 1.0) stand in their groups one behind the other.
*/

/* Records that are looked at first, and how many of them may differ. Tests go this way with any table. */
#ifndef MITT_SAMPLE
# define MITT_SAMPLE 4096
# define MITT_SAMPLE_GROUPS 3072
#endif

/* Records with the same key, the oldest first. */
typedef struct MittGroup MittGroup;
struct MittGroup {
  SorterRecord *pFirst;
  SorterRecord *pSecond;          /* What follows pFirst, which the sort forgets */
  SorterRecord *pLast;
  u32 hash;
};

/* The key of a record: the types of its fields, and their values. */
typedef struct MittKey MittKey;
struct MittKey {
  const u8 *aType;
  const u8 *aValue;
  u32 nType;
  u32 nValue;
};

static MittKey mittKey(SorterRecord *p, int nField){
  const u8 *a = (const u8*)SRVAL(p);
  MittKey key;
  u32 nHeader, type;
  u32 i = getVarint32(a, nHeader);
  key.aType = &a[i];
  key.aValue = &a[nHeader];
  key.nValue = 0;
  while( nField-- > 0 && i<nHeader ){
    i += getVarint32(&a[i], type);
    key.nValue += sqlite3VdbeSerialTypeLen(type);
  }
  key.nType = (u32)(&a[i] - key.aType);
  return key;
}

static u64 mittHashBytes(u64 hash, const u8 *a, u32 n){
  u64 word;
  for(; n>=8; n-=8, a+=8){
    memcpy(&word, a, 8);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 32;
  }
  word = n;
  while( n-- > 0 ) word = (word<<8) | *a++;
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 32);
}

static u32 mittHash(const MittKey *p){
  u64 hash = mittHashBytes(mittHashBytes(0, p->aType, p->nType), p->aValue, p->nValue);
  return (u32)(hash ^ (hash >> 32));
}

static int mittIsSame(const MittKey *p, const MittKey *q){
  return p->nType==q->nType && p->nValue==q->nValue
      && memcmp(p->aType, q->aType, p->nType)==0
      && memcmp(p->aValue, q->aValue, p->nValue)==0;
}

static SorterRecord *mittNext(SorterList *pList, SorterRecord *p){
  if( pList->aMemory==0 ) return p->u.pNext;
  if( (u8*)p==pList->aMemory ) return 0;
  return (SorterRecord*)&pList->aMemory[p->u.iNext];
}

/* Whether a list is long, and its first records have few keys. */
static int mittHasGroups(SorterList *pList, int nField){
  static u32 aHash[MITT_SAMPLE_GROUPS*2];  /* Only one statement runs at a time */
  int nSeen = 0, nGroup = 0;
  SorterRecord *p;
  memset(aHash, 0, sizeof(aHash));
  for(p=pList->pList; p && nSeen<MITT_SAMPLE; p=mittNext(pList, p), nSeen++){
    MittKey key = mittKey(p, nField);
    u32 hash = mittHash(&key) | 1;
    u32 at = (hash >> 8) % ArraySize(aHash);
    while( aHash[at] && aHash[at]!=hash ) at = (at+1) % ArraySize(aHash);
    if( aHash[at]==0 ){
      aHash[at] = hash;
      if( ++nGroup>MITT_SAMPLE_GROUPS ) return 0;
    }
  }
  return nSeen==MITT_SAMPLE;
}

/* Groups, and where they are found by their hash: numbers from 1, in twice as many places at least. */
typedef struct MittGroups MittGroups;
struct MittGroups {
  MittGroup *aGroup;
  u32 nGroup;
  u32 *aPlace;
  u32 nPlace;                     /* A power of two */
};

/* The place of a key: of its group, or of none. */
static u32 mittPlace(MittGroups *p, const MittKey *pKey, u32 hash, int nField){
  u32 at = hash & (p->nPlace-1);
  while( p->aPlace[at] ){
    MittGroup *pGroup = &p->aGroup[p->aPlace[at]-1];
    if( pGroup->hash==hash ){
      MittKey key = mittKey(pGroup->pFirst, nField);
      if( mittIsSame(&key, pKey) ) break;
    }
    at = (at+1) & (p->nPlace-1);
  }
  return at;
}

/* Make room for twice as many groups. */
static int mittGrow(MittGroups *p){
  u32 nPlace = p->nPlace ? p->nPlace*2 : 1024;
  u32 i;
  MittGroup *aGroup = sqlite3_realloc64(p->aGroup, (u64)nPlace/2*sizeof(MittGroup));
  if( aGroup==0 ) return SQLITE_NOMEM_BKPT;
  p->aGroup = aGroup;
  sqlite3_free(p->aPlace);
  p->aPlace = sqlite3_malloc64((u64)nPlace*sizeof(u32));
  p->nPlace = nPlace;
  if( p->aPlace==0 ) return SQLITE_NOMEM_BKPT;
  memset(p->aPlace, 0, (size_t)nPlace*sizeof(u32));
  for(i=0; i<p->nGroup; i++){
    u32 at = p->aGroup[i].hash & (nPlace-1);
    while( p->aPlace[at] ) at = (at+1) & (nPlace-1);
    p->aPlace[at] = i+1;
  }
  return SQLITE_OK;
}

/* Put the records of a list, the newest of which comes first, into groups. */
static int mittCollect(MittGroups *pGroups, SorterList *pList, int nField){
  SorterRecord *p = pList->pList;
  while( p ){
    SorterRecord *pNext = mittNext(pList, p);
    MittKey key = mittKey(p, nField);
    u32 hash = mittHash(&key);
    u32 at;
    if( pGroups->nGroup*2>=pGroups->nPlace && mittGrow(pGroups) ) return SQLITE_NOMEM_BKPT;
    at = mittPlace(pGroups, &key, hash, nField);
    if( pGroups->aPlace[at] ){
      MittGroup *pGroup = &pGroups->aGroup[pGroups->aPlace[at]-1];
      p->u.pNext = pGroup->pFirst;
      pGroup->pFirst = p;
    }else{
      MittGroup *pGroup = &pGroups->aGroup[pGroups->nGroup++];
      p->u.pNext = 0;
      pGroup->pFirst = pGroup->pLast = p;
      pGroup->hash = hash;
      pGroups->aPlace[at] = pGroups->nGroup;
    }
    p = pNext;
  }
  return SQLITE_OK;
}

/* Sort a list by its groups. */
static int mittSortGroups(SortSubtask *pTask, SorterList *pList, int nField){
  MittGroups groups;
  SorterRecord *aSlot[64];
  SorterRecord *p;
  SorterRecord **pp = &pList->pList;
  u32 i, j;
  int rc;

  memset(&groups, 0, sizeof(groups));
  memset(aSlot, 0, sizeof(aSlot));
  rc = mittCollect(&groups, pList, nField);
  if( rc==SQLITE_OK ){
    /* As vdbeSorterSort() does it, of the first of each group. */
    for(i=0; i<groups.nGroup; i++){
      p = groups.aGroup[i].pFirst;
      groups.aGroup[i].pSecond = p->u.pNext;
      p->u.pNext = 0;
      for(j=0; aSlot[j]; j++){
        p = vdbeSorterMerge(pTask, p, aSlot[j]);
        aSlot[j] = 0;
      }
      aSlot[j] = p;
    }
    p = 0;
    for(j=0; j<ArraySize(aSlot); j++){
      if( aSlot[j]==0 ) continue;
      p = p ? vdbeSorterMerge(pTask, p, aSlot[j]) : aSlot[j];
    }
    while( p ){
      SorterRecord *pNext = p->u.pNext;
      MittKey key = mittKey(p, nField);
      u32 at = mittPlace(&groups, &key, mittHash(&key), nField);
      MittGroup *pGroup = &groups.aGroup[groups.aPlace[at]-1];
      *pp = p;
      p->u.pNext = pGroup->pSecond;
      pp = &pGroup->pLast->u.pNext;
      p = pNext;
    }
    *pp = 0;
    rc = pTask->pUnpacked->errCode;
  }
  sqlite3_free(groups.aGroup);
  sqlite3_free(groups.aPlace);
  return rc;
}
