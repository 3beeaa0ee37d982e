/* See clauses.h. */
#include "clauses.h"

const char *clause_text(enum clause clause)
{
#define CLAUSE_AS_TEXT(name, text) [name] = #name ": " text,
    static const char *const texts[N_CLAUSES] = {CLAUSES(CLAUSE_AS_TEXT)};
#undef CLAUSE_AS_TEXT
    return texts[clause];
}
