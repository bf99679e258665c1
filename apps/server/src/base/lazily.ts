/**
 * Makes something when it is first asked for, and once. With `import()` in `make`, modules that a server needs only for some
 * of its work are not loaded before: that takes memory from everybody.
 */
export function lazily<Value>(make: () => Promise<Value>): LazyValue<Value> {
	let made: Promise<Value> | undefined;
	return {
		get: () => (made ??= make()),
		ifMade: () => made,
	};
}

export interface LazyValue<Value> {
	get(): Promise<Value>;
	/** Undefined when nobody has asked for it. */
	ifMade(): Promise<Value> | undefined;
}
