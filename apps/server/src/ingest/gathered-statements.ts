import { type StatementDone, type StatementFigures, statementsDone } from "#storage/clickhouse/statement-channel.ts";
import type { GroupReport } from "./worker-messages.ts";

/** A batch has about a dozen. */
const MOST = 2_000;

/** What statements of this thread to ClickHouse came to, until they are reported to the thread that counts them. */
export class GatheredStatements {
	#gathered: StatementFigures[] = [];

	constructor() {
		statementsDone.subscribe((message) => this.#gather(message as StatementDone));
	}

	/** For a report: those since the last call. */
	take(): Pick<GroupReport, "statements"> {
		if (this.#gathered.length === 0) return {};
		const statements = this.#gathered;
		this.#gathered = [];
		return { statements };
	}

	/** Without texts and ids, which nobody counts. */
	#gather(done: StatementDone): void {
		if (done.isProbe || this.#gathered.length === MOST) return;
		const { node, kind, durationMs, rowsRead, rowsWritten, isRepeat, errorCode } = done;
		this.#gathered.push({
			...{ node, kind, durationMs, rowsRead, rowsWritten, isRepeat },
			...(errorCode === undefined ? {} : { errorCode }),
		});
	}
}
