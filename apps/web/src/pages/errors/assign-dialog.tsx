import type { ErrorGroup } from "@spanward/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../lib/api.ts";
import { config } from "../../lib/config.ts";
import { useMe } from "../../lib/me.ts";
import { useMayIn } from "../../lib/project-role.ts";
import { texts } from "../../texts/en.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { errorText } from "../../ui/error-state.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { assigneesQuery } from "./queries.ts";

/** Asks whom groups are assigned to. */
export function AssignDialog({
	project,
	groups,
	onAssign,
	onClose,
}: {
	project: string;
	groups: readonly ErrorGroup[];
	/** Gets the id of a user, or null for nobody. */
	onAssign: (id: string | null) => void;
	onClose: () => void;
}): ReactNode {
	const me = useMe();
	const isManager = useMayIn(project)("manager");
	const { data: people = [] } = useQuery(assigneesQuery(project));
	const others = people.filter(({ id }) => id !== me?.id);
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.assignTitle(groups.length)}>
			<div className="flex flex-col gap-3 overflow-auto p-4">
				{!config.auth.enabled && <p className="text-muted">{TEXTS.noAccounts}</p>}
				<div data-first className="flex flex-wrap gap-2">
					{me && (
						<Button look="primary" onClick={() => onAssign(me.id)}>
							{TEXTS.assignMe}
						</Button>
					)}
					<Button onClick={() => onAssign(null)}>{TEXTS.assignNobody}</Button>
				</div>
				{others.length > 0 && (
					<section aria-label={TEXTS.assignKnown}>
						<h3 className="mb-1 text-muted text-sm">{TEXTS.assignKnown}</h3>
						<ul className="flex flex-wrap gap-2">
							{others.map(({ id, username }) => (
								<li key={id}>
									<Button onClick={() => onAssign(id)}>{username}</Button>
								</li>
							))}
						</ul>
					</section>
				)}
				{config.auth.enabled && isManager && <FindPerson onFound={onAssign} />}
				<div className="flex justify-end">
					<Button onClick={onClose}>{texts.action.cancel}</Button>
				</div>
			</div>
		</Dialog>
	);
}

/** Managers may name anybody. */
function FindPerson({ onFound }: { onFound: (id: string) => void }): ReactNode {
	const [name, setName] = useState("");
	const find = useMutation({
		mutationFn: async () => {
			const { data } = await api.get("/v1/access_subjects", { query: { q: name } });
			const person = data.find(({ type }) => type === "user");
			if (person === undefined) throw new Error(TEXTS.assignNotFound);
			return person.id;
		},
		onSuccess: onFound,
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		find.mutate();
	};
	return (
		<form onSubmit={submit} className="flex items-end gap-2">
			<div className="min-w-0 flex-1">
				<Field label={TEXTS.assignOther} error={find.error ? errorText(find.error).message : undefined}>
					<Input value={name} onChange={(event) => setName(event.target.value)} />
				</Field>
			</div>
			<Button type="submit" disabled={name.trim() === "" || find.isPending}>
				{TEXTS.assignFind}
			</Button>
		</form>
	);
}
