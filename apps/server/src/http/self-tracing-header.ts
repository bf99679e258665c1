/** Says to a Spanward that gets it not to tell of it in its turn: two could else tell each other for ever. */
export const SELF_TRACING_HEADER = "x-spanward-self-tracing";
