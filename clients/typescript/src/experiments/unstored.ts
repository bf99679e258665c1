import { AuthenticationError, ConflictError, NotFoundError, PermissionError } from "../api-error.ts";
import type { NewEvaluation, NewRun } from "../resources/experiments.ts";
import { Spanward } from "../spanward.ts";

const NAMED = 10;

type Result =
	| { readonly kind: "run"; readonly experimentId: string; readonly body: NewRun }
	| { readonly kind: "evaluation"; readonly body: NewEvaluation };

/** `what` names the example and repetition, `error` says why the server did not take it. */
export type UnstoredResult = Result & { readonly what: string; readonly error: unknown };

/** Tasks or evaluators have run, but the server took not all of what they answered. `storeResults(error.results)` tries again. */
export class ResultsNotStoredError extends Error {
	override readonly name = "ResultsNotStoredError";
	readonly results: readonly UnstoredResult[];

	constructor(results: readonly UnstoredResult[]) {
		const names = results.slice(0, NAMED).map(({ what }) => what);
		const more = results.length > NAMED ? ` and ${results.length - NAMED} more` : "";
		super(`not stored: ${names.join(", ")}${more} (${String(results[0]?.error)})`, { cause: results[0]?.error });
		this.results = results;
	}
}

/**
 * Stores what an experiment could not.
 * @throws ResultsNotStoredError with those that the server still does not take
 */
export async function storeResults(
	results: readonly UnstoredResult[],
	{ client = new Spanward() }: { client?: Spanward } = {},
): Promise<void> {
	const left: UnstoredResult[] = [];
	for (const result of results) {
		const unstored = left.some(({ error }) => isHopeless(error)) ? result : await store(client, result);
		if (unstored !== undefined) left.push(unstored);
	}
	if (left.length > 0) throw new ResultsNotStoredError(left);
}

/** @returns what the server did not take now: tasks that cost time and money are not run in vain */
export async function store(
	client: Spanward,
	result: Result & { readonly what: string },
): Promise<UnstoredResult | undefined> {
	try {
		if (result.kind === "run") await client.experiments.logRun(result.experimentId, result.body);
		else await client.experiments.logEvaluation(result.body);
		return undefined;
	} catch (error) {
		// Somebody else who resumes the same experiment was first.
		return error instanceof ConflictError ? undefined : { ...result, error };
	}
}

/** What the next result would be refused with as well. */
export function isHopeless(error: unknown): boolean {
	return error instanceof AuthenticationError || error instanceof NotFoundError || error instanceof PermissionError;
}
