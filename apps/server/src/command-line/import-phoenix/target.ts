import type { Config } from "../../config.ts";
import type { Storage } from "../../storage/storage.ts";
import { printable } from "../printable.ts";
import type { PhoenixSource } from "./source.ts";

/** How many of one kind there are, were written, or were there already. */
export interface Carried {
	read: number;
	written: number;
}

const MAX_REASON = 2_000;

/** What came of it, for who runs the import. */
export class ImportReport {
	readonly carried = new Map<string, Carried>();
	/** A sentence for each kind of thing that could not be carried. */
	readonly notCarried: string[] = [];
	/** Things by the reason why they are left. */
	readonly left = new Map<string, number>();

	count(kind: string, read: number, written: number): void {
		const known = this.carried.get(kind) ?? { read: 0, written: 0 };
		this.carried.set(kind, { read: known.read + read, written: known.written + written });
	}

	/** Counted by reason, so that thousands make one line. What names in it would do to a terminal is escaped. */
	leave(reason: string, count = 1): void {
		const shown = printable(reason.slice(0, MAX_REASON));
		if (count > 0) this.left.set(shown, (this.left.get(shown) ?? 0) + count);
	}

	finish(): this {
		for (const [reason, count] of this.left) this.notCarried.push(`${count} ${reason}`);
		this.left.clear();
		return this;
	}
}

/** Where everything goes, and what is known of it by then. */
export interface Import {
	readonly source: PhoenixSource;
	readonly storage: Storage;
	readonly config: Config;
	readonly report: ImportReport;
	readonly onProgress: (what: string, done: number) => void;
	/** Row numbers here by those of Phoenix. */
	readonly users: Map<number, number>;
	/** Row numbers here by name. */
	readonly projects: Map<string, number>;
}
