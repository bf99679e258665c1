import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import X from "lucide-react/icons/x";
import { type ReactNode, type SyntheticEvent, useEffect, useState } from "react";
import {
	type AccessChange,
	accessQuery,
	changeAccess,
	findTyped,
	type Home,
	type HomeAccess,
	type ProjectRole,
	peopleCsvUrl,
	peoplePages,
	ROLE_CHOICES,
	restrictingQuery,
	toBody,
} from "../../../homes/access-queries.ts";
import { Losing } from "../../../homes/losing.tsx";
import { accessTexts as TEXTS } from "../../../texts/access-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { Select } from "../../../ui/select.tsx";
import { isChangedMeanwhile, SaveError } from "./changed-meanwhile.tsx";
import { CsvLink } from "./csv-link.tsx";

/** How long a change can be taken back. */
const UNDO_MS = 10_000;

type Grant = NonNullable<HomeAccess["grants"]>[number];

/** A change, and what takes it back. */
interface Step {
	readonly change: AccessChange;
	readonly back: AccessChange | undefined;
}

/** Who sees a project or the library, with what one may change there. */
export function HomeAccessEditor({ home, name }: { home: Home; name: string }): ReactNode {
	const query = useQuery(accessQuery(home));
	return (
		<Loaded data={query.data} query={query}>
			{({ access, etag }) =>
				access.may_manage ? (
					<Editor home={home} name={name} access={access} etag={etag} />
				) : (
					<OwnRole home={home} access={access} />
				)
			}
		</Loaded>
	);
}

function stateText(home: Home, access: HomeAccess["access"]): string {
	return (home === "library" ? TEXTS.libraryState : TEXTS.state)[access];
}

function OwnRole({
	home,
	access: { access, own, follows, managers = [] },
}: {
	home: Home;
	access: HomeAccess;
}): ReactNode {
	return (
		<div className="flex flex-col gap-2">
			<p>{stateText(home, access)}</p>
			{own.role && (
				<p>
					{TEXTS.own(TEXTS.role[own.role])}: {own.because.map(becauseText).join(", ")}.
				</p>
			)}
			{follows && <p>{TEXTS.follows(follows.name)}</p>}
			{managers.length === 0 ? (
				<p className="text-muted">{TEXTS.askAdmin}</p>
			) : (
				<p className="text-muted">
					{TEXTS.ask} {managers.map((manager) => manager.name).join(", ")}
				</p>
			)}
		</div>
	);
}

function becauseText({ kind, name = "" }: HomeAccess["own"]["because"][number]): string {
	const text = TEXTS.because[kind];
	return typeof text === "string" ? text : text(name);
}

function Editor({
	home,
	name,
	access,
	etag,
}: {
	home: Home;
	name: string;
	access: HomeAccess;
	etag: string | undefined;
}): ReactNode {
	const queries = useQueryClient();
	const [restricting, setRestricting] = useState(false);
	const [undo, setUndo] = useState<AccessChange>();
	const [said, setSaid] = useState("");
	const save = useMutation({
		mutationFn: ({ change }: Step) => changeAccess(home, change, etag),
		onMutate: () => {
			setUndo(undefined);
			setSaid("");
		},
		onSuccess: (_data, { back }) => {
			setUndo(back);
			setSaid(back ? TEXTS.done : TEXTS.undone);
		},
		// What was refused for somebody else's change stays beside what one saw; a click shows theirs.
		onSettled: async (_data, error) => {
			if (isChangedMeanwhile(error)) return;
			// Projects have a lock beside their name, and one's own role.
			void queries.invalidateQueries({ queryKey: ["project"] });
			void queries.invalidateQueries({ queryKey: ["projects"] });
			void queries.invalidateQueries({ queryKey: ["home-access"] });
			await queries.invalidateQueries({ queryKey: ["access"] });
		},
	});
	const look = async () => {
		await queries.refetchQueries({ queryKey: ["access"], type: "active" });
		save.reset();
		setRestricting(false);
		setSaid(TEXTS.shownNow);
	};
	useEffect(() => {
		if (undo === undefined) return;
		const timer = setTimeout(() => setUndo(undefined), UNDO_MS);
		return () => clearTimeout(timer);
	}, [undo]);
	const isOpen = access.access === "open";
	const restrict = () =>
		save.mutate(
			{ change: { access: "restricted" }, back: { access: "open" } },
			{ onSuccess: () => setRestricting(false) },
		);
	return (
		<div className="flex flex-col gap-4">
			<div className="flex flex-wrap items-center gap-x-4 gap-y-2">
				<p>{stateText(home, access.access)}</p>
				{isOpen ? (
					<Button onClick={() => setRestricting(true)}>{TEXTS.restrict}</Button>
				) : (
					<Button
						disabled={save.isPending}
						onClick={() => save.mutate({ change: { access: "open" }, back: { access: "restricted" } })}
					>
						{TEXTS.openUp}
					</Button>
				)}
			</div>
			<div role="status" className="flex min-h-7 items-center gap-3 text-muted">
				{said}
				{undo && (
					<Button disabled={save.isPending} onClick={() => save.mutate({ change: undo, back: undefined })}>
						{TEXTS.undo}
					</Button>
				)}
			</div>
			{!restricting && <SaveError error={save.error} onLook={() => void look()} />}
			<Grants grants={access.grants ?? []} isPending={save.isPending} onStep={(step) => save.mutate(step)} />
			<Add grants={access.grants ?? []} onStep={(step) => save.mutateAsync(step)} />
			<People home={home} />
			{restricting && (
				<ConfirmDialog
					title={TEXTS.restrictTitle(name)}
					action={TEXTS.restrictAction}
					mutation={{
						mutate: restrict,
						isPending: save.isPending,
						error: isChangedMeanwhile(save.error) ? null : save.error,
					}}
					onClose={() => setRestricting(false)}
				>
					{isChangedMeanwhile(save.error) && <SaveError error={save.error} onLook={() => void look()} />}
					{home === "library" ? <p>{stateText(home, "restricted")}</p> : <Effects project={home.project} />}
				</ConfirmDialog>
			)}
		</div>
	);
}

/** Who loses the project, and whose keys will be refused. */
function Effects({ project }: { project: string }): ReactNode {
	const query = useQuery({ ...restrictingQuery(project), staleTime: 0 });
	return (
		<Loaded data={query.data} query={query}>
			{(effects) => (
				<>
					<Losing effects={effects} />
					<p className="text-muted">{TEXTS.libraryStays}</p>
				</>
			)}
		</Loaded>
	);
}

function Grants({
	grants,
	isPending,
	onStep,
}: {
	grants: readonly Grant[];
	isPending: boolean;
	onStep: (step: Step) => void;
}): ReactNode {
	if (grants.length === 0) return <p className="text-muted">{TEXTS.none}</p>;
	return (
		<ul aria-label={TEXTS.people} className="flex flex-col border-line border-t">
			{grants.map((grant) => {
				const { subject, role, counts_as: countsAs, by, rule } = grant;
				const given = (to: ProjectRole): AccessChange => ({ set: [{ subject: toBody(subject), role: to }] });
				return (
					<li
						key={`${subject.id} ${rule?.id}`}
						className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b py-1.5"
					>
						<span className="min-w-0 flex-1 basis-40">
							<span className="block truncate font-medium">{subject.name}</span>
							<span className="block text-muted text-sm">
								{subject.type === "team" && `${TEXTS.team}, `}
								{by === "rule" && rule ? TEXTS.byRule(rule.pattern) : TEXTS.direct}
								{countsAs !== role && `, ${TEXTS.countsAs(TEXTS.role[countsAs])}`}
							</span>
						</span>
						{by === "rule" ? (
							<span>{TEXTS.role[role]}</span>
						) : (
							<>
								<Select
									label={TEXTS.roleOf(subject.name)}
									value={role}
									disabled={isPending}
									choices={ROLE_CHOICES}
									className="w-28"
									onChange={(to) => onStep({ change: given(to), back: given(role) })}
								/>
								<IconButton
									label={TEXTS.remove(subject.name)}
									disabled={isPending}
									onClick={() => onStep({ change: { remove: [toBody(subject)] }, back: given(role) })}
								>
									<X size={15} aria-hidden />
								</IconButton>
							</>
						)}
					</li>
				);
			})}
		</ul>
	);
}

function Add({ grants, onStep }: { grants: readonly Grant[]; onStep: (step: Step) => Promise<unknown> }): ReactNode {
	const [typed, setTyped] = useState("");
	const [role, setRole] = useState<ProjectRole>("viewer");
	const add = useMutation({
		mutationFn: async () => {
			const subject = await findTyped(typed);
			if (subject === undefined) throw new Error(TEXTS.nobodyFound);
			const before = grants.find((grant) => grant.by === "direct" && grant.subject.id === subject.id);
			const back = before ? { set: [{ subject: toBody(subject), role: before.role }] } : { remove: [toBody(subject)] };
			await onStep({ change: { set: [{ subject: toBody(subject), role }] }, back });
		},
		onSuccess: () => setTyped(""),
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (typed.trim() !== "") add.mutate();
	};
	return (
		<form onSubmit={submit} className="flex flex-wrap items-start gap-2">
			<Field
				label={TEXTS.addWhom}
				hint={TEXTS.addHint}
				error={isChangedMeanwhile(add.error) ? undefined : add.error?.message}
			>
				<Input
					value={typed}
					maxLength={1_000}
					className="w-64 max-w-full"
					onChange={(event) => setTyped(event.target.value)}
				/>
			</Field>
			<Field label={TEXTS.addRole} hint={TEXTS.roleText[role]}>
				<Select value={role} onChange={setRole} choices={ROLE_CHOICES} className="w-28" />
			</Field>
			<Button type="submit" look="primary" className="mt-[22px]" disabled={add.isPending || typed.trim() === ""}>
				{TEXTS.add}
			</Button>
		</form>
	);
}

function People({ home }: { home: Home }): ReactNode {
	const query = useInfiniteQuery(peoplePages(home));
	return (
		<Loaded data={query.data} query={query}>
			{({ pages }) => {
				const people = pages.flatMap((page) => page.data);
				return (
					<details>
						<summary className="cursor-pointer">
							{TEXTS.see(people.length)}
							{query.hasNextPage && ` ${texts.state.unknown}`}
						</summary>
						<ul className="mt-2 flex flex-col gap-1">
							{people.map((person) => (
								<li key={person.id} className="flex flex-wrap gap-x-3">
									<span className="font-medium [overflow-wrap:anywhere]">{person.username}</span>
									<span>{TEXTS.role[person.counts_as]}</span>
									<span className="text-muted">{person.because.map(becauseText).join(", ")}</span>
								</li>
							))}
						</ul>
						<MoreRows query={query} what={TEXTS.more} />
						<CsvLink href={peopleCsvUrl(home)} />
					</details>
				);
			}}
		</Loaded>
	);
}
