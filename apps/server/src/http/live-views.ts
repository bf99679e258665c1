import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { UserError } from "#base/errors.ts";
import { Abandoned } from "#base/fair-turns.ts";
import type { Context } from "#context.ts";
import type { Actor } from "./actor.ts";
import type { App } from "./app-type.ts";
import { sendEvents } from "./event-stream.ts";
import { userOf } from "./principal.ts";

/** How often a view checks whether its reader still has access. */
const RECHECK_MS = 1_000;
/** Views of one kind in all; each holds a connection and queries the database again and again. */
const MAX_VIEWS = 200;
/** Views of one user, or of the system, so that nobody uses up all of them. */
const MAX_VIEWS_EACH = 50;

/** Server-sent events that go on until their reader has enough. */
export interface LiveView extends Readable {
	/** @param reason told to the reader; without one the server is about to stop, and readers connect again */
	end(reason?: "access_ended"): void;
}

/** The open views of one kind. They end when their readers may not see them any more, and when the server stops. */
export class LiveViews<View extends LiveView> {
	/** With the row number of the reader; undefined while authentication is off. */
	readonly #open = new Map<View, number | undefined>();
	readonly #log: Context["log"];

	constructor(app: App, { log, stopping }: Pick<Context, "log" | "stopping">) {
		this.#log = log;
		const endAll = () => {
			for (const view of this.#open.keys()) view.end();
		};
		// Before the server waits for its connections to close, as these would never close by themselves.
		app.addHook("preClose", async () => endAll());
		// Readers reconnect, to another process if there is one.
		stopping.addEventListener("abort", endAll);
	}

	[Symbol.iterator](): Iterator<View> {
		return this.#open.keys();
	}

	/**
	 * Answers with a view.
	 * @param begin makes it; gets what to do with what it cannot read
	 * @throws UserError 503, 429 when there are too many
	 */
	send(reply: FastifyReply, actor: Actor, begin: (onError: (error: unknown) => void) => View): FastifyReply {
		const reader = userOf(actor.principal)?.id;
		this.#assertRoom(reader);
		const view = begin((error) => {
			if (!(error instanceof Abandoned)) this.#log.error({ err: error }, "a live view failed");
		});
		this.#open.set(view, reader);
		const watch = setInterval(() => void this.#endUnlessAllowed(view, actor), RECHECK_MS);
		view.once("close", () => {
			this.#open.delete(view);
			clearInterval(watch);
		});
		return sendEvents(reply, view);
	}

	#assertRoom(reader: number | undefined): void {
		if (this.#open.size >= MAX_VIEWS) {
			throw new UserError(503, "too_many_streams", `There are ${MAX_VIEWS} live views already.`, { retryAfter: 30 });
		}
		const own = [...this.#open.values()].filter((id) => id === reader).length;
		if (reader === undefined || own < MAX_VIEWS_EACH) return;
		throw new UserError(429, "too_many_streams", `You have ${MAX_VIEWS_EACH} live views already; close some.`, {
			retryAfter: 30,
		});
	}

	async #endUnlessAllowed(view: View, actor: Actor): Promise<void> {
		try {
			await actor.assertStillAllowed();
		} catch (error) {
			if (error instanceof UserError) return view.end("access_ended");
			if (!(error instanceof Abandoned)) {
				this.#log.error({ err: error }, "the rights of a live view could not be read; it is ended");
			}
			view.end();
		}
	}
}
