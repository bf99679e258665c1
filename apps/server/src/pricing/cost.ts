/** What a span cost, and whether the application said so or a table of prices. */
export interface Cost {
	/** US dollars. */
	readonly total: number;
	readonly prompt?: number;
	readonly completion?: number;
	readonly cache_read?: number;
	readonly cache_write?: number;
	readonly reasoning?: number;
	readonly source: "sent" | "table";
}
