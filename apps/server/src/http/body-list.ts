import { z } from "zod";

/** Faults of a list that an answer names. */
const MAX_FAULTS = 100;

/**
 * A list of many things in a body. Zod looks for the faults of all items: those of a million take seconds and much memory,
 * and with more than fit on the stack it throws. This list is read up to the item with the hundredth.
 */
export function bodyList<Item extends z.ZodType>(
	item: Item,
	{ min = 0, max }: { readonly min?: number; readonly max: number },
): z.ZodLazy<z.ZodArray<Item>> {
	const list = z.array(item).max(max);
	const bounded = min === 0 ? list : list.min(min);
	const isRefused = (length: number) => length < min || length > max;
	return new BodyList({ type: "lazy", getter: () => bounded, isRefused }) as z.ZodLazy<z.ZodArray<Item>>;
}

interface BodyListDef extends z.core.$ZodLazyDef<z.ZodArray<z.ZodType>> {
	/** Whether a list is refused for its length. */
	readonly isRefused: (length: number) => boolean;
}

/** A schema that is described by another one, which it gets as `z.lazy` does, but parses by itself. */
const BodyList = z.core.$constructor<z.ZodLazy<z.ZodArray<z.ZodType>>, BodyListDef>("BodyList", (schema, def) => {
	z.ZodLazy.init(schema, def);
	schema._zod.parse = (payload, context) => {
		const list = def.getter();
		const sent: unknown = payload.value;
		if (!Array.isArray(sent) || def.isRefused(sent.length)) return list._zod.run(payload, context);
		const value: unknown[] = [];
		for (const [index, each] of sent.entries()) {
			const result = list.element._zod.run({ value: each, issues: [] }, context);
			if (result instanceof Promise) throw new z.core.$ZodAsyncError();
			value.push(result.value);
			payload.issues.push(...z.core.util.prefixIssues(index, result.issues));
			if (payload.issues.length >= MAX_FAULTS) break;
		}
		return Object.assign(payload, { value });
	};
});
