/** Tells a receiving Spanward not to trace the request in turn: two could otherwise trace each other for ever. */
export const SELF_TRACING_HEADER = "x-spanward-self-tracing";
