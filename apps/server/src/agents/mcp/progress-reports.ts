import type { ServerContext } from "@modelcontextprotocol/server";

const EVERY_MS = 1_000;

/** Tells a client that asked for it, each second, that its call is still being worked on. */
export class ProgressReports implements Disposable {
	readonly #timer: NodeJS.Timeout | undefined;
	#message = "looking";
	#seconds = 0;

	constructor({ mcpReq }: ServerContext) {
		const progressToken = mcpReq._meta?.progressToken;
		if (progressToken === undefined) return;
		this.#timer = setInterval(() => {
			this.#seconds += 1;
			const params = { progressToken, progress: this.#seconds, message: this.#message };
			// A client that has gone hears nothing; its call ends by its own signal.
			mcpReq.notify({ method: "notifications/progress", params }).catch(() => clearInterval(this.#timer));
		}, EVERY_MS);
	}

	/** What is being done from now on. */
	say(message: string): void {
		this.#message = message;
	}

	[Symbol.dispose](): void {
		clearInterval(this.#timer);
	}
}
