import { AuthenticationError, ConflictError, NotFoundError, PermissionError } from "../api-error.ts";
import type { NewEvaluation, NewRun } from "../resources/experiments.ts";
import { Spanward } from "../spanward.ts";

const NAMED = 10;

type Result =
	| { readonly kind: "run"; readonly experimentId: string; readonly body: NewRun }
	| { readonly kind: "evaluation"; readonly body: NewEvaluation };

/** `what` names the example and repetition, `error` says why the server did not accept the result. */
export type UnstoredResult = Result & { readonly what: string; readonly error: unknown };

/** Tasks or evaluators have run, but the server did not accept all results. `storeResults(error.results)` retries. */
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
 * Stores results that an experiment could not store.
 * @throws ResultsNotStoredError with the results that the server still does not accept
 */
export async function storeResults(
	results: readonly UnstoredResult[],
	{ client = new Spanward() }: { client?: Spanward } = {},
): Promise<void> {
	const left: UnstoredResult[] = [];
	for (const result of results) {
		const unstored = left.some(({ error }) => isPermanent(error)) ? result : await store(client, result);
		if (unstored !== undefined) left.push(unstored);
	}
	if (left.length > 0) throw new ResultsNotStoredError(left);
}

/** @returns the result if the server does not accept it now, as running the task again would cost time and money */
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

/** Errors with which the next result would be refused as well. */
export function isPermanent(error: unknown): boolean {
	return error instanceof AuthenticationError || error instanceof NotFoundError || error instanceof PermissionError;
}
