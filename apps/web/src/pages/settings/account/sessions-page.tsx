import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { logOut } from "../../../auth/log-out.ts";
import { api } from "../../../lib/api.ts";
import { readUserAgent } from "../../../lib/user-agent.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { Chip } from "../../../ui/chip.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";
import { type LoginSession, loginSessionsQuery } from "./session-queries.ts";

const TEXTS = settingsTexts.sessions;

export function LoginSessionsPage(): ReactNode {
	const query = useQuery(loginSessionsQuery);
	useTableKeys(query);
	const [asking, setAsking] = useState(false);
	const leave = useMutation({ mutationFn: () => logOut() });
	return (
		<SectionPage title={texts.settings.sessions} intro={TEXTS.intro}>
			<Loaded data={query.data} query={query}>
				{(sessions) => <Sessions sessions={sessions} />}
			</Loaded>
			<FormError error={leave.error} />
			<div className="flex flex-wrap gap-2">
				<Button disabled={leave.isPending} onClick={() => leave.mutate()}>
					{TEXTS.logOutHere}
				</Button>
				<Button look="danger" onClick={() => setAsking(true)}>
					{TEXTS.logOutEverywhere}
				</Button>
			</div>
			{asking && <EverywhereDialog onClose={() => setAsking(false)} />}
		</SectionPage>
	);
}

function EverywhereDialog({ onClose }: { onClose: () => void }): ReactNode {
	const mutation = useMutation({ mutationFn: () => logOut(true) });
	return (
		<ConfirmDialog title={TEXTS.everywhereTitle} action={TEXTS.logOutEverywhere} mutation={mutation} onClose={onClose}>
			<p>{TEXTS.everywhereText}</p>
		</ConfirmDialog>
	);
}

function Sessions({ sessions }: { sessions: readonly LoginSession[] }): ReactNode {
	const queries = useQueryClient();
	const end = useMutation({
		mutationFn: (id: string) => api.delete("/v1/user/sessions/{session_id}", { path: { session_id: id } }),
		onSettled: () => queries.invalidateQueries({ queryKey: loginSessionsQuery.queryKey }),
	});
	return (
		<>
			<Table
				label={TEXTS.label}
				columns={columns((session) => end.mutate(session.id), end.isPending)}
				rows={sessions}
				rowKey={(session) => session.id}
			/>
			<FormError error={end.error} />
			<p role="status" className="text-muted">
				{end.isSuccess && TEXTS.ended}
			</p>
		</>
	);
}

function agentName(session: LoginSession): string {
	const { program, system } = readUserAgent(session.user_agent);
	if (program && system) return TEXTS.agentOn(program, system);
	return program ?? system ?? TEXTS.unknownAgent;
}

function columns(onEnd: (session: LoginSession) => void, isEnding: boolean): TableColumn<LoginSession>[] {
	return [
		{
			key: "agent",
			title: TEXTS.agent,
			cell: (session) => (
				<>
					<span className="flex items-center gap-2">
						<span className="truncate" title={session.user_agent ?? undefined}>
							{agentName(session)}
						</span>
						{session.current && <Chip tone="accent">{TEXTS.current}</Chip>}
					</span>
					<span className="block text-muted text-sm sm:hidden">
						{session.ip} · {TEXTS.used.toLowerCase()} <RelativeTime time={session.last_used_at} />
					</span>
				</>
			),
		},
		{ key: "ip", title: TEXTS.ip, className: "w-40 max-sm:hidden", cell: (session) => session.ip },
		{
			key: "started",
			title: TEXTS.started,
			className: "w-28 max-md:hidden",
			cell: (session) => <RelativeTime time={session.created_at} />,
		},
		{
			key: "used",
			title: TEXTS.used,
			className: "w-28 max-sm:hidden",
			cell: (session) => <RelativeTime time={session.last_used_at} />,
		},
		{
			key: "ends",
			title: TEXTS.ends,
			className: "w-28 max-lg:hidden",
			cell: (session) => <RelativeTime time={session.expires_at} />,
		},
		{
			key: "end",
			title: settingsTexts.keys.column.actions,
			hideTitle: true,
			align: "right",
			className: "w-36",
			cell: (session) =>
				!session.current && (
					<Button
						disabled={isEnding}
						aria-label={TEXTS.endNamed(`${agentName(session)}, ${session.ip}`)}
						onClick={() => onEnd(session)}
					>
						{TEXTS.end}
					</Button>
				),
		},
	];
}
