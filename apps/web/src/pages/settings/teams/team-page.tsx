import type { Team, TeamMember } from "@spanward/client";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import X from "lucide-react/icons/x";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../../lib/api.ts";
import { formatInteger } from "../../../lib/format.ts";
import { accessTexts as TEXTS } from "../../../texts/access-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { SettingsPart } from "../project/settings-part.tsx";
import { SectionPage } from "../section-page.tsx";
import { memberPages, teamQuery } from "./team-queries.ts";

const route = getRouteApi("/settings/teams/$team");

/** A team: its members, with who says so, and where it has a role. */
export function TeamPage(): ReactNode {
	const { team: id } = route.useParams();
	const query = useQuery(teamQuery(id));
	const [removing, setRemoving] = useState(false);
	return (
		<SectionPage
			title={query.data?.name ?? texts.settings.teams}
			intro={
				<Link to="/settings/teams" className="text-accent hover:underline">
					{TEXTS.backToTeams}
				</Link>
			}
			narrow
		>
			<Loaded data={query.data} query={query}>
				{(team) => (
					<>
						{team.description && <p>{team.description}</p>}
						<Members team={team} />
						<Homes team={team} />
						<Button look="danger" className="self-start" onClick={() => setRemoving(true)}>
							{TEXTS.deleteTeam}
						</Button>
						{removing && <DeleteDialog team={team} onClose={() => setRemoving(false)} />}
					</>
				)}
			</Loaded>
		</SectionPage>
	);
}

function Members({ team }: { team: Team }): ReactNode {
	const query = useInfiniteQuery(memberPages(team.id));
	const queries = useQueryClient();
	const [typed, setTyped] = useState("");
	const change = useMutation({
		mutationFn: (body: { add?: string[]; remove?: string[] }) =>
			api.patch("/v1/teams/{team_id}/members", { path: { team_id: team.id }, body }),
		onSuccess: async (_data, { add }) => {
			if (add) setTyped("");
			await queries.invalidateQueries({ queryKey: ["teams"] });
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (typed.trim() !== "") change.mutate({ add: [typed.trim()] });
	};
	const columns: TableColumn<TeamMember>[] = [
		{
			key: "name",
			title: TEXTS.memberColumn.name,
			cell: ({ username }) => <span className="block truncate font-medium">{username}</span>,
		},
		{
			key: "remove",
			title: TEXTS.memberColumn.remove,
			hideTitle: true,
			align: "right",
			className: "w-12",
			cell: ({ id, username, sources }) =>
				sources.includes("manual") && (
					<IconButton
						label={TEXTS.remove(username)}
						disabled={change.isPending}
						onClick={() => change.mutate({ remove: [id] })}
					>
						<X size={15} aria-hidden />
					</IconButton>
				),
		},
	];
	return (
		<SettingsPart title={TEXTS.membersTitle}>
			<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
				{(members) =>
					members.length === 0 ? (
						<p className="text-muted">{TEXTS.noMembers}</p>
					) : (
						<Table label={TEXTS.membersTitle} columns={columns} rows={members} rowKey={({ id }) => id} />
					)
				}
			</Loaded>
			<MoreRows query={query} what={TEXTS.membersTitle} />
			<form onSubmit={submit} className="flex flex-wrap items-start gap-2">
				<Field label={TEXTS.addMember} hint={TEXTS.addMemberHint}>
					<Input value={typed} maxLength={1_000} onChange={(event) => setTyped(event.target.value)} />
				</Field>
				<Button type="submit" look="primary" className="mt-[22px]" disabled={change.isPending || typed.trim() === ""}>
					{TEXTS.add}
				</Button>
			</form>
			<FormError error={change.error} />
		</SettingsPart>
	);
}

const HOME_COLUMNS: TableColumn<Team["homes"][number]>[] = [
	{
		key: "name",
		title: TEXTS.homeColumn.name,
		cell: ({ id, name }) =>
			id === undefined ? (
				<Link to="/settings/access" className="block truncate hover:underline">
					{name}
				</Link>
			) : (
				<Link to="/p/$project/settings/access" params={{ project: id }} className="block truncate hover:underline">
					{name}
				</Link>
			),
	},
	{ key: "role", title: TEXTS.homeColumn.role, className: "w-24", cell: ({ role }) => TEXTS.role[role] },
	{
		key: "only",
		title: TEXTS.homeColumn.only,
		align: "right",
		className: "w-40 max-sm:hidden",
		cell: ({ only_by_team: count }) => formatInteger(count),
	},
];

function Homes({ team }: { team: Team }): ReactNode {
	return (
		<SettingsPart title={TEXTS.homes}>
			{team.homes.length === 0 ? (
				<p className="text-muted">{TEXTS.homesNone}</p>
			) : (
				<Table label={TEXTS.homes} columns={HOME_COLUMNS} rows={team.homes} rowKey={({ id, type }) => id ?? type} />
			)}
		</SettingsPart>
	);
}

function DeleteDialog({ team, onClose }: { team: Team; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const navigate = useNavigate();
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/teams/{team_id}", { path: { team_id: team.id } }),
		onSuccess: async () => {
			await navigate({ to: "/settings/teams" });
			queries.removeQueries({ queryKey: ["teams", team.id] });
			await queries.invalidateQueries({ queryKey: ["teams"] });
		},
	});
	const losing = team.homes.filter(({ only_by_team: count }) => count > 0);
	return (
		<ConfirmDialog
			title={TEXTS.deleteTeamTitle(team.name)}
			action={TEXTS.deleteTeam}
			mutation={remove}
			onClose={onClose}
		>
			<p>{TEXTS.deleteTeamText}</p>
			<ul className="list-disc pl-5">
				{losing.map(({ id, type, name, only_by_team: count }) => (
					<li key={id ?? type}>{TEXTS.deleteTeamLoses(name, count)}</li>
				))}
			</ul>
		</ConfirmDialog>
	);
}
