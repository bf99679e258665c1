import type { OwnedApiKey, SystemApiKey, UserApiKey } from "@spanward/client";
import Info from "lucide-react/icons/info";
import Trash2 from "lucide-react/icons/trash-2";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ReactNode } from "react";
import { formatInteger } from "../../../lib/format.ts";
import { useNow } from "../../../lib/time.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { IconButton } from "../../../ui/button.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import type { TableColumn } from "../../../ui/table.tsx";
import { endsSoon } from "./key-expiry.ts";
import { listOf } from "./key-sentence.ts";

const TEXTS = settingsTexts.keys;

/** A key in a list; keys of all users name their owner, system keys who created them. */
export type ListedKey = UserApiKey & Partial<Pick<OwnedApiKey, "user"> & Pick<SystemApiKey, "created_by">>;

export interface KeyActions {
	readonly onDelete: (key: ListedKey) => void;
	/** Shows what the key can do. */
	readonly onOpen: (key: ListedKey) => void;
}

/** The columns of a list of keys. */
export function keyColumns(
	shows: "own" | "owner" | "creator",
	{ onDelete, onOpen }: KeyActions,
): TableColumn<ListedKey>[] {
	return [
		{ key: "name", title: TEXTS.column.name, cell: (key) => <KeyName listed={key} showsOwner={shows === "owner"} /> },
		...(shows === "owner" ? [ownerColumn] : []),
		{
			key: "hint",
			title: TEXTS.column.hint,
			className: "w-40 max-md:hidden",
			cell: (key) => <code className="font-mono text-muted text-sm">{key.hint}</code>,
		},
		{
			key: "created",
			title: TEXTS.column.created,
			className: "w-24 max-lg:hidden",
			cell: (key) => <RelativeTime time={key.created_at} />,
		},
		...(shows === "creator" ? [creatorColumn] : []),
		{
			key: "may",
			title: TEXTS.may,
			className: "w-36 max-lg:hidden",
			cell: (key) => <KeyLimitsCell listed={key} ofSystem={shows === "creator"} />,
		},
		{
			key: "expires",
			title: TEXTS.column.expires,
			className: "w-24 max-sm:hidden",
			cell: (key) => <Expiry time={key.expires_at} />,
		},
		{
			key: "used",
			title: TEXTS.column.used,
			className: "w-24 max-sm:hidden",
			cell: (key) =>
				key.last_used_at ? (
					<>
						<RelativeTime time={key.last_used_at} />
						{key.last_used_ip && (
							<span className="block truncate text-muted text-sm">{TEXTS.lastUsedFrom(key.last_used_ip)}</span>
						)}
					</>
				) : (
					settingsTexts.never
				),
		},
		{
			key: "delete",
			title: TEXTS.column.actions,
			hideTitle: true,
			align: "right",
			className: "w-20",
			cell: (key) => (
				<span className="inline-flex">
					<IconButton label={TEXTS.canNamed(key.name)} onClick={() => onOpen(key)}>
						<Info size={14} aria-hidden />
					</IconButton>
					<IconButton label={TEXTS.deleteNamed(key.name)} onClick={() => onDelete(key)}>
						<Trash2 size={14} aria-hidden />
					</IconButton>
				</span>
			),
		},
	];
}

const ownerColumn: TableColumn<ListedKey> = {
	key: "owner",
	title: TEXTS.column.owner,
	className: "w-36 max-sm:hidden",
	cell: (key) => (
		<>
			<span className="block truncate">{key.user?.username}</span>
			<span className="block truncate text-muted text-sm">{key.user?.email}</span>
		</>
	),
};

const creatorColumn: TableColumn<ListedKey> = {
	key: "creator",
	title: TEXTS.column.createdBy,
	className: "w-32 max-md:hidden",
	cell: (key) => key.created_by?.username ?? texts.state.unknown,
};

/** What the key may, and where. */
function KeyLimitsCell({ listed, ofSystem }: { listed: ListedKey; ofSystem: boolean }): ReactNode {
	const { permissions, projects, ip_ranges, allowed_origins, limits, spans_today } = listed;
	const everything = ofSystem ? TEXTS.everythingSystem : TEXTS.everything;
	const where = [...(projects?.map(({ name }) => name) ?? [])];
	const from = [...(ip_ranges ?? []), ...(allowed_origins ?? [])];
	const details = [
		...(where.length === 0 ? [] : [listOf(where)]),
		...(from.length === 0 ? [] : [TEXTS.lastUsedFrom(listOf(from))]),
		...(limits.spans_per_day === null
			? []
			: [TEXTS.today(formatInteger(spans_today ?? 0), formatInteger(limits.spans_per_day))]),
	];
	return (
		<>
			<span className="block truncate">{permissions?.join(", ") ?? everything}</span>
			{details.length > 0 && <span className="block truncate text-muted text-sm">{details.join(" · ")}</span>}
		</>
	);
}

/** The name; on a phone, below it the values that have columns otherwise. */
function KeyName({ listed, showsOwner }: { listed: ListedKey; showsOwner: boolean }): ReactNode {
	return (
		<>
			<span className="block truncate font-medium">
				{listed.name}
				{listed.replaced_by !== null && <span className="ml-2 text-muted text-sm">{TEXTS.replaced}</span>}
			</span>
			{listed.description && <span className="block truncate text-muted text-sm">{listed.description}</span>}
			<span className="block truncate text-muted text-sm sm:hidden">
				{showsOwner && `${listed.user?.username} · `}
				<Expiry time={listed.expires_at} verb={TEXTS.expiresOn} />
				{" · "}
				{listed.last_used_at ? (
					<>
						{TEXTS.usedOn} <RelativeTime time={listed.last_used_at} />
					</>
				) : (
					TEXTS.neverUsed
				)}
			</span>
			<code className="block truncate font-mono text-muted text-sm md:hidden">{listed.hint}</code>
		</>
	);
}

function Expiry({ time, verb }: { time: string | undefined; verb?: string }): ReactNode {
	const now = useNow();
	if (time !== undefined && Date.parse(time) <= now) return <span className="text-danger">{TEXTS.expired}</span>;
	if (time !== undefined && endsSoon(time, now)) {
		return (
			<span className="text-warn">
				<TriangleAlert size={13} role="img" aria-label={TEXTS.endsSoon} className="mr-1 inline align-[-2px]" />
				{verb} <RelativeTime time={time} />
			</span>
		);
	}
	return (
		<>
			{verb} {time === undefined ? TEXTS.noExpiry : <RelativeTime time={time} />}
		</>
	);
}
