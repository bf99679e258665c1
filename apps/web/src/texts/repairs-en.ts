import type { StorageRepair } from "@spanward/client";
import { counted, grouped } from "./plural.ts";

/** Texts about repairs of traces. */
export const repairTexts = {
	title: "Repairs",
	intro:
		"Looks for what is wrong in the tables of traces: totals that differ from their spans, what leads to nothing, and what is in the wrong place. It runs in the background and rests, so that receiving goes on.",
	look: "Look for damage",
	lookAgain: "Look again",
	repair: "Repair",
	cancel: "Cancel",
	none: "Nobody has looked for damage yet.",
	doing: ({ status, dry_run: dry }: Pick<StorageRepair, "status" | "dry_run">) =>
		status === "queued" ? "Waiting for its turn" : dry ? "Looking for damage" : "Repairing",
	counts: ({ looked_at: looked, found, repaired, dry_run: dry }: Counted) =>
		[`${grouped(looked)} looked at`, `${grouped(found)} found`, ...(dry ? [] : [`${grouped(repaired)} repaired`])].join(
			", ",
		),
	/** After a run that only looked. */
	found: (n: number) =>
		n === 0
			? "Nothing is wrong."
			: `${counted(n, "thing is", "things are")} wrong. A repair looks again, and makes good what can be.`,
	/** After a run that repaired. */
	repaired: (found: number, repaired: number) =>
		found === 0
			? "Nothing was wrong."
			: repaired === found
				? `${counted(repaired, "thing was", "things were")} repaired.`
				: `${grouped(repaired)} of ${counted(found, "thing", "things")} repaired. What is left cannot be made good, or was right meanwhile: spanward verify names it.`,
	list: "Past repairs",
	/** What there is more of. */
	more: "repairs",
	column: {
		started: "Started",
		what: "What",
		state: "State",
		looked: "Looked at",
		found: "Found",
		repaired: "Repaired",
	},
	what: ({ kind, dry_run: dry }: Pick<StorageRepair, "kind" | "dry_run">) =>
		`${KINDS[kind]}${dry ? ", only looked" : ""}`,
	status: { queued: "Waiting", running: "Running", completed: "Done", failed: "Failed", cancelled: "Cancelled" },
};

type Counted = Pick<StorageRepair, "looked_at" | "found" | "repaired" | "dry_run">;

const KINDS = {
	all: "Everything",
	totals: "Totals",
	orphans: "What leads to nothing",
	moves: "What is elsewhere",
} as const;
