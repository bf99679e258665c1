/** A JMESPath expression of a setting, compiled. */
export interface Expression {
	/** As the operator wrote it. */
	readonly text: string;
	/**
	 * What it yields on claims; undefined for nothing, and for what only fails when it is evaluated (an unknown function, a
	 * wrong type).
	 */
	readonly search: (claims: Readonly<Record<string, unknown>>) => unknown;
}
