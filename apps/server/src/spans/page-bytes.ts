/**
 * Content that one page of spans may hold in memory: spans may be megabytes each, while 1,000 of the usual 2 KB are far
 * below. A page that reaches it ends early and has a cursor.
 */
export const MAX_PAGE_BYTES = 32 * 1_024 * 1_024;
