import type { z } from "zod";

/**
 * For `superRefine` of a schema.
 * @param problemOf what is wrong with a value; undefined where nothing is
 */
export function refuseWith<T>(
	problemOf: (value: T) => string | undefined,
): (value: T, context: z.RefinementCtx<T>) => void {
	return (value, context) => {
		const problem = problemOf(value);
		if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
	};
}
