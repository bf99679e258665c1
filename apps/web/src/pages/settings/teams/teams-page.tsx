import type { ListedTeam } from "@spanward/client";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../../lib/api.ts";
import { formatInteger } from "../../../lib/format.ts";
import { accessTexts as TEXTS } from "../../../texts/access-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";
import { teamPages } from "./team-queries.ts";

const COLUMNS: TableColumn<ListedTeam>[] = [
	{
		key: "name",
		title: TEXTS.teamColumn.name,
		cell: (team) => (
			<>
				<Link
					to="/settings/teams/$team"
					params={{ team: team.id }}
					className="block truncate font-medium hover:underline"
				>
					{team.name}
				</Link>
				{team.description && <span className="block truncate text-muted text-sm">{team.description}</span>}
			</>
		),
	},
	{
		key: "members",
		title: TEXTS.teamColumn.members,
		align: "right",
		className: "w-24",
		cell: (team) => formatInteger(team.member_count),
	},
];

export function TeamsPage(): ReactNode {
	const query = useInfiniteQuery(teamPages);
	const [isNew, setNew] = useState(false);
	useTableKeys(query);
	const create = (
		<Button look="primary" onClick={() => setNew(true)}>
			<Plus size={14} aria-hidden />
			{TEXTS.newTeam}
		</Button>
	);
	return (
		<SectionPage title={texts.settings.teams} intro={TEXTS.teamsIntro} action={create}>
			<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
				{(teams) =>
					teams.length === 0 ? (
						<EmptyState title={TEXTS.teamsEmpty} text={TEXTS.teamsEmptyText} />
					) : (
						<Table label={texts.settings.teams} columns={COLUMNS} rows={teams} rowKey={({ id }) => id} />
					)
				}
			</Loaded>
			<MoreRows query={query} what={texts.settings.teams} />
			{isNew && <NewTeamDialog onClose={() => setNew(false)} />}
		</SectionPage>
	);
}

function NewTeamDialog({ onClose }: { onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const [name, setName] = useState("");
	const [description, setDescription] = useState("");
	const [isMissing, setMissing] = useState(false);
	const save = useMutation({
		mutationFn: () => api.post("/v1/teams", { body: { name: name.trim(), description: description.trim() || null } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["teams"] });
			onClose();
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setMissing(name.trim() === "");
		if (name.trim() !== "") save.mutate();
	};
	return (
		<FormDialog
			title={TEXTS.newTeam}
			action={texts.action.create}
			isPending={save.isPending}
			error={save.error}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={TEXTS.teamName} error={isMissing ? TEXTS.teamNameMissing : undefined}>
				<Input
					value={name}
					maxLength={128}
					aria-invalid={isMissing}
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			<Field label={TEXTS.teamDescription}>
				<Input value={description} maxLength={10_000} onChange={(event) => setDescription(event.target.value)} />
			</Field>
		</FormDialog>
	);
}
