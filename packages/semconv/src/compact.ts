/** The object without its undefined members, as optional members have to be absent. */
export function compact<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T {
	const object: Record<string, unknown> = {};
	for (const [key, value] of Object.entries(members)) {
		if (value !== undefined) object[key] = value;
	}
	return object as T;
}

/** The list, or undefined when it is empty. */
export function nonEmpty<T>(list: readonly T[]): T[] | undefined {
	return list.length > 0 ? [...list] : undefined;
}
