import type { ErrorGroupChangeInput, ErrorGroupDetail } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import ArrowLeft from "lucide-react/icons/arrow-left";
import ChevronDown from "lucide-react/icons/chevron-down";
import { type ReactNode, useState } from "react";
import { formatRelative } from "../../lib/time.ts";
import type { TimeRangeSearch } from "../../lib/time-range.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { IgnoreDialog, ResolveInDialog } from "./change-dialogs.tsx";
import { placeOf } from "./place-of.ts";
import { untilText } from "./until-text.ts";
import type { GroupChanges } from "./use-group-changes.ts";

interface GroupHeaderProps {
	readonly project: string;
	readonly group: ErrorGroupDetail;
	readonly range: TimeRangeSearch;
	readonly changes: GroupChanges;
	readonly mayChange: boolean;
	readonly onAssign: () => void;
}

/** What it is, in which state, and what can be done about it. */
export function GroupHeader({ project, group, range, changes, mayChange, onAssign }: GroupHeaderProps): ReactNode {
	return (
		<header className="flex flex-col gap-2">
			<Link
				to="/p/$project/errors"
				params={{ project }}
				search={range}
				className="flex items-center gap-1 self-start text-muted hover:text-ink"
			>
				<ArrowLeft size={14} aria-hidden />
				{TEXTS.back}
			</Link>
			<h1 className="font-semibold text-xl [overflow-wrap:anywhere]">{group.title}</h1>
			<p className="flex flex-wrap items-center gap-2 text-muted">
				<StateChip group={group} />
				<span className="[overflow-wrap:anywhere]">{placeOf(group)}</span>
				<span>{`${TEXTS.assigned}: ${group.assignee?.username ?? TEXTS.nobody}`}</span>
			</p>
			{mayChange ? <Actions group={group} changes={changes} onAssign={onAssign} /> : <p>{TEXTS.readOnly}</p>}
			<FormError error={changes.error} />
			<p role="status" className="text-muted empty:hidden">
				{changes.said}
			</p>
		</header>
	);
}

function StateChip({ group }: { group: ErrorGroupDetail }): ReactNode {
	const { state, substate } = group;
	if (state === "open") {
		const tone = substate === "regressed" ? "danger" : substate === "new" ? "accent" : "plain";
		return (
			<Chip tone={tone}>
				{substate === null ? TEXTS.state.open : `${TEXTS.state.open}, ${TEXTS.substate[substate]}`}
			</Chip>
		);
	}
	return <Chip>{state === "resolved" ? resolvedText(group) : TEXTS.ignoredUntil(untilText(group.ignore_until))}</Chip>;
}

function resolvedText({ resolved_at: time, resolved_in_release: release }: ErrorGroupDetail): string {
	return release === null ? TEXTS.resolvedSince(formatRelative(time)) : TEXTS.resolvedIn(release);
}

const DAY_MS = 86_400_000;

function Actions({
	group,
	changes,
	onAssign,
}: {
	group: ErrorGroupDetail;
	changes: GroupChanges;
	onAssign: () => void;
}): ReactNode {
	const [asking, ask] = useState<"resolve" | "ignore">();
	const make = (change: ErrorGroupChangeInput) => {
		ask(undefined);
		changes.change([group], change);
	};
	const ignoreFor = (days: number) =>
		make({ state: "ignored", ignore_until: { time: new Date(Date.now() + days * DAY_MS).toISOString() } });
	const { state } = group;
	return (
		<div className="flex flex-wrap items-center gap-2">
			{state !== "open" && (
				<Button disabled={changes.isPending} onClick={() => make({ state: "open" })}>
					{TEXTS.action.reopen}
				</Button>
			)}
			{state !== "resolved" && (
				<>
					<Button look="primary" disabled={changes.isPending} onClick={() => make({ state: "resolved" })}>
						{TEXTS.action.resolve}
					</Button>
					<Button disabled={changes.isPending} onClick={() => ask("resolve")}>
						{TEXTS.action.resolveIn}
					</Button>
				</>
			)}
			<Menu
				trigger={
					<Button disabled={changes.isPending}>
						{TEXTS.action.ignore}
						<ChevronDown size={14} aria-hidden />
					</Button>
				}
			>
				<MenuItem onClick={() => make({ state: "ignored" })}>{TEXTS.action.ignoreForEver}</MenuItem>
				<MenuItem onClick={() => ignoreFor(1)}>{TEXTS.action.ignoreDay}</MenuItem>
				<MenuItem onClick={() => ignoreFor(7)}>{TEXTS.action.ignoreWeek}</MenuItem>
				<MenuItem onClick={() => ask("ignore")}>{TEXTS.action.ignoreOther}</MenuItem>
			</Menu>
			<Button disabled={changes.isPending} onClick={onAssign}>
				{TEXTS.action.assign}
			</Button>
			{changes.canUndo && (
				<Button look="quiet" disabled={changes.isPending} onClick={changes.undo}>
					{TEXTS.action.undo}
				</Button>
			)}
			{asking === "resolve" && (
				<ResolveInDialog releases={group.releases} onChange={make} onClose={() => ask(undefined)} />
			)}
			{asking === "ignore" && <IgnoreDialog onChange={make} onClose={() => ask(undefined)} />}
		</div>
	);
}
