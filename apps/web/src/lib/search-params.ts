/** Search parameters in the address: plain text, lists as repeated names. No JSON, no type guessing. */
export type RawSearch = Record<string, string | string[] | undefined>;

export function parseSearch(text: string): RawSearch {
	const search: RawSearch = {};
	for (const [name, value] of new URLSearchParams(text)) {
		const before = search[name];
		if (before === undefined) search[name] = value;
		else search[name] = Array.isArray(before) ? [...before, value] : [before, value];
	}
	return search;
}

export function stringifySearch(search: Record<string, unknown>): string {
	const params = new URLSearchParams();
	for (const [name, value] of Object.entries(search)) {
		if (value === undefined || value === null || value === "") continue;
		for (const each of Array.isArray(value) ? value : [value]) params.append(name, String(each));
	}
	const text = params.toString();
	return text ? `?${text}` : "";
}

/** The last value of a parameter; empty is absent. */
export function textParam(value: unknown): string | undefined {
	const last = Array.isArray(value) ? value.at(-1) : value;
	if (last === undefined || last === null || last === "") return undefined;
	return String(last);
}

/** Every value of a parameter, each once; none is absent. */
export function listParam(value: unknown): string[] | undefined {
	const list = (Array.isArray(value) ? value : [value]).filter(
		(each) => each !== undefined && each !== null && each !== "",
	);
	return list.length > 0 ? [...new Set(list.map(String))] : undefined;
}

export function numberParam(value: unknown): number | undefined {
	const text = textParam(value);
	const number = text === undefined ? Number.NaN : Number(text);
	return Number.isFinite(number) && number >= 0 ? number : undefined;
}

export function choiceParam<T extends string>(value: unknown, choices: readonly T[]): T | undefined {
	const text = textParam(value);
	return choices.find((choice) => choice === text);
}

/** Leaves out what is undefined, so that addresses and keys stay short. */
export function present<T extends object>(search: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
	return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as {
		[K in keyof T]?: Exclude<T[K], undefined>;
	};
}
