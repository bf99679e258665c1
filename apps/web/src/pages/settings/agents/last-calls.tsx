import type { AgentCall } from "@spanward/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Bot from "lucide-react/icons/bot";
import type { ReactNode } from "react";
import { config } from "../../../lib/config.ts";
import { foreignName } from "../../../lib/foreign-name.ts";
import { formatDuration } from "../../../lib/format.ts";
import { useCan } from "../../../lib/me.ts";
import { agentsTexts as TEXTS } from "../../../texts/agents-en.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { OwnOrAll } from "../own-or-all.tsx";
import { callPages } from "./queries.ts";

const route = getRouteApi("/settings/agents");
/** Somebody who sets up an agent waits for its first call. */
const LOOK_MS = 5_000;

/** What agents called within a week: one's own, and for admins everybody's. */
export function LastCalls(): ReactNode {
	const { show } = route.useSearch();
	const navigate = route.useNavigate();
	const can = useCan();
	const mayShowAll = config.auth.enabled && can("admin");
	const showsAll = show === "all" && mayShowAll;
	const query = useInfiniteQuery({ ...callPages(showsAll ? "all" : "own"), refetchInterval: LOOK_MS });
	useTableKeys(query);
	const calls = query.data?.pages.flatMap((page) => page.data);
	return (
		<section aria-label={TEXTS.calls} className="flex flex-col gap-2">
			<h2 className="font-semibold text-lg">{TEXTS.calls}</h2>
			<p className="max-w-prose text-muted">{TEXTS.callsText}</p>
			{mayShowAll && <OwnOrAll showsAll={showsAll} onChange={(search) => void navigate({ search })} texts={TEXTS} />}
			<Loaded data={calls} query={query}>
				{(listed) =>
					listed.length === 0 ? (
						<EmptyState
							icon={<Bot size={24} aria-hidden />}
							title={TEXTS.none}
							text={config.mcp ? TEXTS.noneText : TEXTS.noneOff}
						/>
					) : (
						<Table label={TEXTS.calls} columns={columns(showsAll)} rows={listed} rowKey={({ id }) => id} />
					)
				}
			</Loaded>
			<MoreRows query={query} what={TEXTS.calls} />
		</section>
	);
}

function columns(showsUser: boolean): TableColumn<AgentCall>[] {
	return [
		{ key: "tool", title: TEXTS.column.tool, cell: ({ tool }) => <code className="font-mono">{tool}</code> },
		{
			key: "client",
			title: TEXTS.column.client,
			className: "max-sm:hidden",
			cell: ({ client_name, client_version }) => (
				<bdi>{[foreignName(client_name ?? "") ?? TEXTS.unnamed, client_version ?? ""].join(" ").trim()}</bdi>
			),
		},
		...(showsUser
			? [
					{
						key: "user",
						title: TEXTS.column.user,
						cell: ({ user }: AgentCall) => (user === null ? TEXTS.nobody : (user.email ?? user.username)),
					},
				]
			: []),
		{
			key: "outcome",
			title: TEXTS.column.outcome,
			className: "w-24",
			cell: ({ outcome }) => (
				<span className={outcome === "failed" || outcome === "too_slow" ? "text-danger" : undefined}>
					{TEXTS.outcome[outcome]}
				</span>
			),
		},
		{
			key: "duration",
			title: TEXTS.column.duration,
			align: "right",
			className: "w-24 tabular-nums max-sm:hidden",
			cell: ({ duration_ms }) => formatDuration(duration_ms),
		},
		{
			key: "time",
			title: TEXTS.column.time,
			align: "right",
			className: "w-28",
			cell: ({ time }) => <RelativeTime time={time} />,
		},
	];
}
