import { useInfiniteQuery } from "@tanstack/react-query";
import X from "lucide-react/icons/x";
import { type ReactNode, useDeferredValue, useState } from "react";
import { projectPages } from "../../../lib/projects.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { FormError } from "../../../ui/form-error.tsx";
import { SearchInput } from "../../../ui/input.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { RestrictedLock } from "../../../ui/restricted-lock.tsx";
import type { ChosenProject, LimitsForm } from "./key-purposes.ts";

const TEXTS = settingsTexts.keys;

interface FoundProject extends ChosenProject {
	readonly access?: "open" | "restricted";
}

type Homes = Pick<LimitsForm, "projects" | "library">;

/** The places that a key reaches, chosen among the projects that the user sees, and the library. */
export function KeyHomes({
	form: { projects, library },
	among,
	hint,
	problem,
	onChange,
}: {
	form: Homes;
	/** The only ones to choose from, if not all. */
	among?: Homes | undefined;
	/** What it means that nothing is chosen. */
	hint: string;
	problem?: string | undefined;
	onChange: (change: Homes) => void;
}): ReactNode {
	const [words, setWords] = useState("");
	const asked = projectPages(useDeferredValue(words.trim()) || undefined);
	const query = useInfiniteQuery({ ...asked, enabled: among === undefined });
	const fits = ({ name }: ChosenProject) => name.toLowerCase().includes(words.trim().toLowerCase());
	const found: readonly FoundProject[] | undefined = among
		? among.projects.filter(fits)
		: query.data?.pages.flatMap((page) => page.data);
	const chosen = new Set(projects.map(({ id }) => id));
	const without = (id: string) => projects.filter((each) => each.id !== id);
	return (
		<fieldset className="flex min-w-0 flex-col gap-1">
			<legend className="mb-1 text-muted text-sm">{TEXTS.projects}</legend>
			{projects.length > 0 && (
				<ul aria-label={TEXTS.homesChosen} className="flex flex-wrap gap-1">
					{projects.map(({ id, name }) => (
						<li key={id} className="min-w-0">
							<button
								type="button"
								aria-label={TEXTS.homeRemove(name)}
								onClick={() => onChange({ projects: without(id), library })}
								className="inline-flex h-6 max-w-full items-center gap-1 rounded bg-accent-soft px-2 text-accent pointer-coarse:h-11"
							>
								<span className="truncate">{name}</span>
								<X size={13} aria-hidden className="shrink-0" />
							</button>
						</li>
					))}
				</ul>
			)}
			<SearchInput
				label={TEXTS.homesFind}
				placeholder={TEXTS.homesFind}
				value={words}
				onChange={(event) => setWords(event.target.value)}
				// The form around it is not complete yet.
				onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
				boxClassName="w-full"
			/>
			<div className="flex max-h-40 flex-col overflow-auto rounded border border-line py-1">
				{words === "" && (among === undefined || among.library) && (
					<Choice
						name={TEXTS.homesLibrary}
						isChosen={library}
						onToggle={() => onChange({ projects, library: !library })}
					/>
				)}
				{found?.map(({ id, name, access }) => (
					<Choice
						key={id}
						name={name}
						access={access}
						isChosen={chosen.has(id)}
						onToggle={() => onChange({ projects: chosen.has(id) ? without(id) : [...projects, { id, name }], library })}
					/>
				))}
				{found?.length === 0 && words !== "" && <p className="px-2 text-muted">{TEXTS.homesNone}</p>}
				{among === undefined && (
					<>
						<FormError error={found === undefined ? query.error : null} />
						<MoreRows query={query} what={TEXTS.homesMore} />
					</>
				)}
			</div>
			{problem ? (
				<span role="alert" className="text-danger text-sm">
					{problem}
				</span>
			) : (
				<span className="text-muted text-sm">{hint}</span>
			)}
		</fieldset>
	);
}

function Choice({
	name,
	access,
	isChosen,
	onToggle,
}: {
	name: string;
	access?: "open" | "restricted" | undefined;
	isChosen: boolean;
	onToggle: () => void;
}): ReactNode {
	return (
		<label className="flex min-h-7 shrink-0 items-center gap-2 px-2 hover:bg-hover pointer-coarse:min-h-11">
			<input type="checkbox" checked={isChosen} onChange={onToggle} />
			<span className="min-w-0 [overflow-wrap:anywhere]">{name}</span>
			<RestrictedLock access={access} />
		</label>
	);
}
