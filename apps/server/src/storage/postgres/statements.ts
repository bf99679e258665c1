import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import { readBinaryResults } from "./binary-results.ts";
import { untilReadersGone } from "./cancel-statement.ts";
import { type StatementDone, statementsDone } from "./statement-channel.ts";

type Query = (...args: readonly unknown[]) => unknown;

/**
 * A class of connections that publish their statements to `statementsDone`, and end those whose readers have gone.
 * @param refused called with the SQLSTATE of each error, those of log-ins included
 */
export function reportingClient(use: string, refused: (code: string) => void): typeof pg.Client {
	class TellingClient extends pg.Client {
		constructor(config?: string | pg.ClientConfig) {
			super(config);
			readBinaryResults(this);
			this.connection.on("errorMessage", (error: unknown) => refused(codeOf(error)));
			const query = super.query.bind(this) as unknown as Query;
			const telling: Query = (...args) => {
				const asked = args[0];
				if (!statementsDone.hasSubscribers) return query(...args);
				const startMs = performance.now();
				// Answers arrive in the socket's context: subscribers need the context of the caller.
				const inContext = AsyncLocalStorage.snapshot();
				const tell = (error: unknown) => {
					const done: StatementDone = {
						use,
						sql: typeof asked === "string" ? asked : sqlOf(asked),
						startMs,
						durationMs: performance.now() - startMs,
						...(error === null || error === undefined ? {} : { errorCode: codeOf(error) }),
					};
					inContext(() => statementsDone.publish(done));
				};
				const last = args.at(-1);
				if (typeof last === "function")
					return query(...args.slice(0, -1), (error: unknown, ...rest: readonly unknown[]) => {
						tell(error);
						return last(error, ...rest);
					});
				const answer = query(...args);
				if (answer instanceof Promise) answer.then(() => tell(undefined), tell);
				return answer;
			};
			const ending: Query = (...args) =>
				typeof args.at(-1) === "function"
					? telling(...args)
					: untilReadersGone(this, async () => await telling(...args));
			this.query = ending as unknown as typeof this.query;
		}
	}
	return TellingClient;
}

function sqlOf(asked: unknown): string {
	const text = typeof asked === "object" && asked !== null && "text" in asked ? asked.text : undefined;
	return typeof text === "string" ? text : "";
}

function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
}
