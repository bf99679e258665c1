/** The compatibility level that released clients ask for; they refuse to work with a lower or an unparsable one. */
export const COMPATIBILITY_VERSION = "20.26.1";

/** Our own version. */
export const VERSION = "0.1.0";
