import type { StorageState } from "@spanward/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatBytes } from "../../../lib/format.ts";
import { useCan } from "../../../lib/me.ts";
import { storageQuery } from "../../../lib/storage.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import { texts } from "../../../texts/en.ts";
import { Chip, type ChipTone } from "../../../ui/chip.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Loaded } from "../../../ui/listed.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { SectionPage } from "../section-page.tsx";
import { NodesSection } from "./nodes-section.tsx";
import { RepairsSection } from "./repairs-section.tsx";
import { TracesSection } from "./traces-section.tsx";

const TEXTS = dataSettingsTexts.storage;
const TONES: Record<StorageState["state"], ChipTone> = {
	unlimited: "plain",
	ok: "accent",
	warning: "warn",
	blocked: "danger",
};

/** How full the storage is, how the place of traces fares, and what to do about it. */
export function StoragePage(): ReactNode {
	const query = useQuery(storageQuery);
	const can = useCan();
	return (
		<SectionPage title={texts.settings.storage} intro={TEXTS.intro}>
			<Loaded data={query.data} query={query}>
				{(storage) => (
					<>
						<section aria-label={TEXTS.used} className="flex max-w-2xl flex-col gap-4">
							<Storage storage={storage} />
						</section>
						<TracesSection traces={storage.traces} />
					</>
				)}
			</Loaded>
			{can("admin") && (
				<>
					<NodesSection />
					<RepairsSection />
				</>
			)}
		</SectionPage>
	);
}

function Storage({ storage }: { storage: StorageState }): ReactNode {
	const { used_bytes: used, capacity_bytes: capacity, used_percentage: percentage, state } = storage;
	return (
		<>
			<div className="flex flex-wrap items-center gap-3">
				<span className="font-semibold text-xl">
					{capacity === null ? formatBytes(used) : TEXTS.of(formatBytes(used), formatBytes(capacity))}
				</span>
				<Chip tone={TONES[state]}>{TEXTS.state[state]}</Chip>
				<span className="text-muted text-sm">
					{TEXTS.measured} <RelativeTime time={storage.measured_at} />
				</span>
			</div>
			{percentage !== null && <UsageBar storage={storage} percentage={percentage} />}
			<p>{TEXTS.stateText[storage.blocking_threshold_percentage === null && state === "ok" ? "unlimited" : state]}</p>
			{capacity === null ? (
				<p className="text-muted [overflow-wrap:anywhere]">{TEXTS.noCapacityText}</p>
			) : (
				<dl className="grid grid-cols-[8rem_1fr] gap-y-1">
					<dt className="text-muted">{TEXTS.capacity}</dt>
					<dd>{formatBytes(capacity)}</dd>
					<dt className="text-muted">{TEXTS.warningAt}</dt>
					<dd>{percentText(storage.warning_threshold_percentage)}</dd>
					<dt className="text-muted">{TEXTS.blockingAt}</dt>
					<dd>{percentText(storage.blocking_threshold_percentage)}</dd>
				</dl>
			)}
			<Link to="/settings/retention" className="self-start text-accent hover:underline">
				{TEXTS.retention}
			</Link>
		</>
	);
}

function percentText(percentage: number | null): string {
	return percentage === null ? TEXTS.none : `${Number(percentage.toPrecision(3))} %`;
}

const FILLS: Record<StorageState["state"], string> = {
	unlimited: "bg-accent",
	ok: "bg-accent",
	warning: "bg-warn",
	blocked: "bg-danger",
};

function UsageBar({ storage, percentage }: { storage: StorageState; percentage: number }): ReactNode {
	return (
		// biome-ignore lint/a11y/useSemanticElements: a meter element shows no thresholds
		<div
			role="meter"
			aria-label={TEXTS.used}
			aria-valuemin={0}
			aria-valuemax={100}
			aria-valuenow={Math.min(100, Math.round(percentage))}
			aria-valuetext={TEXTS.bar(percentText(percentage))}
			title={TEXTS.bar(percentText(percentage))}
			className="relative h-3 overflow-hidden rounded-full bg-hover"
		>
			<div
				className={classNames("h-full rounded-full", FILLS[storage.state])}
				style={{ width: `${Math.min(100, Math.max(0.5, percentage))}%` }}
			/>
			<Threshold at={storage.warning_threshold_percentage} className="bg-warn" />
			<Threshold at={storage.blocking_threshold_percentage} className="bg-danger" />
		</div>
	);
}

function Threshold({ at, className }: { at: number | null; className: string }): ReactNode {
	if (at === null) return null;
	return (
		<div className={classNames("absolute inset-y-0 w-0.5", className)} style={{ left: `min(${at}%, 100% - 2px)` }} />
	);
}
