import type { TracesState } from "@spanward/client";
import type { ReactNode } from "react";
import { storageTexts } from "../../../texts/storage-en.ts";
import { Chip, type ChipTone } from "../../../ui/chip.tsx";

const TONES: Record<TracesState["state"], ChipTone> = {
	ok: "accent",
	behind: "warn",
	incomplete: "danger",
	read_only: "danger",
	full: "danger",
	unreachable: "danger",
};

/** The state of the place of traces, or of a node. */
export function StateChip({ state }: { state: TracesState["state"] }): ReactNode {
	return <Chip tone={TONES[state]}>{storageTexts.state[state]}</Chip>;
}
