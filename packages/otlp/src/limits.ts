/** What one span may carry; the settings `SERVICE_OTLP_*` set these. */
export interface SpanLimits {
	/**
	 * Attributes of one span (and of each event, link, resource and scope), and events and links of one span; further
	 * ones are dropped and counted.
	 */
	readonly attributesPerSpan: number;
	/**
	 * Bytes of a string (in UTF-8) or bytes value; longer ones are truncated at a character and listed in `spanward.cut`.
	 */
	readonly attributeBytes: number;
	/** Nesting of AnyValue (array, kvlist) and of unknown groups; a span with deeper nesting is rejected. */
	readonly depth: number;
}

/**
 * Values in all arrays and maps of one span; with more it is rejected. An empty value takes two bytes on the wire but
 * some fifty in memory, so a small compressed request could otherwise fill the memory of whoever reads the span.
 */
export const MOST_VALUES = 1_000_000;

/**
 * Spans or log records of one request. Exporters send hundreds to some ten thousand at once; a request of millions of
 * the least possible size would take gigabytes.
 */
export const MOST_ITEMS = 250_000;
