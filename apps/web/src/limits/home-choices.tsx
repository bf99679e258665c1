import X from "lucide-react/icons/x";
import type { ReactNode } from "react";
import { limitsTexts as TEXTS } from "../texts/limits-en.ts";
import { SearchInput } from "../ui/input.tsx";
import { RestrictedLock } from "../ui/restricted-lock.tsx";
import type { ChosenHomes, ChosenProject } from "./permissions.ts";

export interface FoundProject extends ChosenProject {
	readonly access?: "open" | "restricted";
}

/** The places that a key or a program reaches, chosen among those that are offered. */
export function HomeChoices({
	label,
	chosen: { projects, library },
	found,
	hasLibrary,
	words,
	hint,
	problem,
	onSearch,
	onChange,
	children,
}: {
	label: string;
	chosen: ChosenHomes;
	/** The projects that fit the words; undefined before they are there. */
	found: readonly FoundProject[] | undefined;
	/** Whether the library can be chosen. */
	hasLibrary: boolean;
	/** What is looked for. */
	words: string;
	hint?: string;
	problem?: string | undefined;
	onSearch: (words: string) => void;
	onChange: (change: ChosenHomes) => void;
	/** Under the projects: how to get more of them, and why there are none. */
	children?: ReactNode;
}): ReactNode {
	const chosen = new Set(projects.map(({ id }) => id));
	const without = (id: string) => projects.filter((each) => each.id !== id);
	return (
		<fieldset className="flex min-w-0 flex-col gap-1">
			<legend className="mb-1 text-muted text-sm">{label}</legend>
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
				onChange={(event) => onSearch(event.target.value)}
				// The form around it is not complete yet.
				onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
				boxClassName="w-full"
			/>
			<div className="flex max-h-40 flex-col overflow-auto rounded border border-line py-1">
				{words === "" && hasLibrary && (
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
				{children}
			</div>
			{problem ? (
				<span role="alert" className="text-danger text-sm">
					{problem}
				</span>
			) : (
				hint && <span className="text-muted text-sm">{hint}</span>
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
