/** What one span may carry; the settings `SERVICE_OTLP_*` set these. */
export interface SpanLimits {
	/** Attributes of one span (and of each event, link, resource and scope); further ones are dropped and counted. */
	readonly attributesPerSpan: number;
	/** Bytes of one string or bytes value in UTF-8; a longer one is cut at a character and named in `spanward.cut`. */
	readonly attributeBytes: number;
	/** Nesting of AnyValue (array, kvlist) and of unknown groups; deeper is a bad span. */
	readonly depth: number;
}
