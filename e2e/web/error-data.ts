import type { Receiver } from "../fixture-sources.ts";

/** A failing call of a function that the tests of the errors inbox send. */
export interface SentFailure {
	/** Of the exception. */
	readonly message: string;
	/** Names of functions, innermost first; each is own code. */
	readonly functions: readonly string[];
	readonly release: string;
	readonly user: string;
	readonly minutesAgo: number;
}

let sent = 0;

/** Sends traces of one failing span each as OTLP/JSON. @throws when the answer is not that all were stored */
export async function sendFailures(
	{ url, headers }: Receiver,
	project: string,
	failures: readonly SentFailure[],
): Promise<void> {
	const response = await fetch(`${url}/v1/traces`, {
		method: "POST",
		headers: { ...headers, "content-type": "application/json", "x-project-name": project },
		body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: {}, spans: failures.map(toOtlp) }] }] }),
	});
	const answer = await response.text();
	if (answer !== "{}") throw new Error(`the export was answered with ${response.status}: ${answer}`);
}

function toOtlp({ message, functions, release, user, minutesAgo }: SentFailure) {
	sent += 1;
	const id = sent.toString(16);
	const start = BigInt(Date.now() - minutesAgo * 60_000) * 1_000_000n;
	const exception = { type: "ValueError", message, stacktrace: stackOf(message, functions) };
	return {
		...{ traceId: id.padStart(32, "e"), spanId: id.padStart(16, "e"), name: "answer" },
		...{ startTimeUnixNano: String(start), endTimeUnixNano: String(start + 1_000_000n) },
		status: { code: 2, message },
		attributes: toAttributes({ release, "user.id": user }),
		events: [
			{
				name: "exception",
				timeUnixNano: String(start),
				attributes: toAttributes(
					Object.fromEntries(Object.entries(exception).map(([name, value]) => [`exception.${name}`, value])),
				),
			},
		],
	};
}

/** As Python prints it, with a library between the two innermost functions. */
function stackOf(message: string, [innermost, ...callers]: readonly string[]): string {
	const own = (name: string) => `  File "/app/shop/orders.py", line ${sent}, in ${name}\n    ${name}()\n`;
	const library = '  File "/usr/lib/python3/site-packages/httpx/client.py", line 7, in send\n    send()\n';
	const frames = [...callers.toReversed().map(own), library, own(innermost ?? "main")];
	return `Traceback (most recent call last):\n${frames.join("")}ValueError: ${message}\n`;
}

function toAttributes(values: Readonly<Record<string, string>>) {
	return Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}
