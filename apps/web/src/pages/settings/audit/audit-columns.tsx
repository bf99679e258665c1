import type { AuditEvent } from "@spanward/client";
import type { ReactNode } from "react";
import { auditTexts } from "../../../texts/audit-en.ts";
import { Chip, type ChipTone } from "../../../ui/chip.tsx";
import type { GridColumn } from "../../../ui/grid-columns.ts";
import { ClockTime } from "../../../ui/relative-time.tsx";
import { actionName, actorName, targetName } from "./audit-words.ts";

const TEXTS = auditTexts;

export function auditColumns(isPhone: boolean): GridColumn<AuditEvent>[] {
	const time: GridColumn<AuditEvent> = {
		key: "time",
		title: TEXTS.column.time,
		width: isPhone ? 76 : 104,
		className: "text-muted",
		cell: (event) => <ClockTime time={event.time} />,
	};
	const outcome: GridColumn<AuditEvent> = {
		key: "outcome",
		title: TEXTS.column.outcome,
		width: 72,
		cell: (event) => <Outcome outcome={event.outcome} />,
	};
	const actor: GridColumn<AuditEvent> = {
		key: "actor",
		title: TEXTS.column.actor,
		width: 120,
		grow: 1,
		cell: actorName,
	};
	// The columns that a phone has no room for are in the details.
	if (isPhone)
		return [time, { key: "action", title: TEXTS.column.action, width: 104, grow: 1, cell: actionName }, outcome];
	return [
		time,
		{ key: "action", title: TEXTS.column.action, width: 176, cell: actionName },
		outcome,
		actor,
		{ key: "target", title: TEXTS.column.target, width: 120, grow: 1.4, cell: targetName },
		{ key: "ip", title: TEXTS.column.ip, width: 110, grow: 0.9, className: "text-muted", cell: (event) => event.ip },
	];
}

const TONES: Record<AuditEvent["outcome"], ChipTone> = { success: "plain", failure: "warn", denied: "danger" };

export function Outcome({ outcome }: { outcome: AuditEvent["outcome"] }): ReactNode {
	return <Chip tone={TONES[outcome]}>{TEXTS.outcome[outcome]}</Chip>;
}
