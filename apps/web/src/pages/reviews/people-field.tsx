import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { api } from "../../lib/api.ts";
import { useMe } from "../../lib/me.ts";
import { queuePages } from "../../lib/review-queues.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { Button } from "../../ui/button.tsx";
import { FilterChip } from "../../ui/chip.tsx";
import { errorText } from "../../ui/error-state.tsx";
import { FieldProblem } from "../../ui/field-problem.tsx";
import { Input } from "../../ui/input.tsx";
import type { Person } from "./queue-draft.ts";

const TEXTS = reviewTexts.queueForm;

interface PeopleFieldProps {
	readonly label: string;
	readonly hint?: string;
	readonly people: readonly Person[];
	readonly onChange: (people: readonly Person[]) => void;
	readonly problem?: string | undefined;
}

/** People by their names: oneself with a button, others by typing who they are; those of other queues are suggested. */
export function PeopleField({ label, hint, people, onChange, problem }: PeopleFieldProps): ReactNode {
	const me = useMe();
	const id = useId();
	const [typed, setTyped] = useState("");
	const add = (person: Person) => {
		if (!people.some((each) => each.id === person.id)) onChange([...people, person]);
	};
	const find = useMutation({
		mutationFn: async () => {
			const [found] = (await api.get("/v1/review_people", { query: { q: typed.trim() } })).data;
			if (found === undefined) throw new Error(TEXTS.noPerson);
			return found;
		},
		onSuccess: (person) => {
			add(person);
			setTyped("");
		},
	});
	const known = useKnownNames();
	const isListed = me !== undefined && people.some((each) => each.id === me.id);
	const submit = (event: KeyboardEvent) => {
		if (event.key !== "Enter") return;
		event.preventDefault();
		if (typed.trim() !== "") find.mutate();
	};
	return (
		<fieldset className="flex flex-col gap-1.5">
			<legend className="text-muted text-sm">{label}</legend>
			{people.length > 0 && (
				<span className="flex flex-wrap gap-1">
					{people.map((person) => (
						<FilterChip
							key={person.id}
							field=""
							value={person.username}
							onRemove={() => onChange(people.filter((each) => each.id !== person.id))}
						/>
					))}
				</span>
			)}
			<span className="flex flex-wrap items-center gap-2">
				<label htmlFor={id} className="sr-only">
					{TEXTS.addTo(label)}
				</label>
				<Input
					id={id}
					value={typed}
					list={`${id}-known`}
					placeholder={TEXTS.personName}
					onChange={(event) => setTyped(event.target.value)}
					onKeyDown={submit}
					className="w-56 max-w-full"
				/>
				<datalist id={`${id}-known`}>
					{known
						.filter((name) => !people.some(({ username }) => username === name))
						.map((name) => (
							<option key={name} value={name} />
						))}
				</datalist>
				<Button disabled={typed.trim() === "" || find.isPending} onClick={() => find.mutate()}>
					{TEXTS.addPerson}
				</Button>
				{me && !isListed && <Button onClick={() => add({ id: me.id, username: me.username })}>{TEXTS.addMe}</Button>}
			</span>
			<span className="text-muted text-sm">
				{hint && `${hint} `}
				{TEXTS.personHint}
			</span>
			<FieldProblem text={find.error ? errorText(find.error).message : problem} />
		</fieldset>
	);
}

/** Names of the people who have to do with queues that are open, which everybody sees there. */
function useKnownNames(): readonly string[] {
	const { data } = useInfiniteQuery(queuePages(false));
	const people = data?.pages.flatMap((page) => page.data.flatMap((queue) => queue.people)) ?? [];
	return [...new Set(people.map(({ username }) => username))].toSorted((a, b) => a.localeCompare(b));
}
