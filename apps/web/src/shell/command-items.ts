import type { Dataset, Project, Prompt } from "@spanward/client";
import type { AnyRouter } from "@tanstack/react-router";
import type { Me } from "../auth/me.ts";
import { config } from "../lib/config.ts";
import type { Found } from "../lib/find-ids.ts";
import { projectSlug } from "../lib/project-slug.ts";
import { listedSections } from "../lib/settings-sections.ts";
import { keyLabel, type ShortcutGroup } from "../lib/shortcuts.tsx";
import { setThemeChoice } from "../lib/theme.ts";
import { formatTime } from "../lib/time.ts";
import type { router } from "../router.tsx";
import { commandTexts } from "../texts/command-en.ts";
import { texts } from "../texts/en.ts";
import type { Everywhere } from "./search-everywhere.ts";

type Navigate = (typeof router & AnyRouter)["navigate"];

export interface CommandItem {
	readonly key: string;
	readonly group: string;
	readonly label: string;
	readonly hint?: string | undefined;
	/** Of the project that it opens. */
	readonly access?: Project["access"];
	/** The palette stays open. */
	readonly stays?: boolean;
	readonly run: (navigate: Navigate) => unknown;
}

const TEXTS = commandTexts;

function pages(project: string | undefined): CommandItem[] {
	const group = TEXTS.pages;
	const own: CommandItem[] =
		project === undefined
			? []
			: [
					{
						key: "traces",
						group,
						label: texts.nav.traces,
						hint: project,
						run: (go) => go({ to: "/p/$project/traces", params: { project } }),
					},
					{
						key: "sessions",
						group,
						label: texts.nav.sessions,
						hint: project,
						run: (go) => go({ to: "/p/$project/sessions", params: { project } }),
					},
					{
						key: "errors",
						group,
						label: texts.nav.errors,
						hint: project,
						run: (go) => go({ to: "/p/$project/errors", params: { project } }),
					},
					{
						key: "overview",
						group,
						label: texts.nav.overview,
						hint: project,
						run: (go) => go({ to: "/p/$project/overview", params: { project } }),
					},
					{
						key: "explore",
						group,
						label: texts.nav.explore,
						hint: project,
						run: (go) => go({ to: "/p/$project/explore", params: { project } }),
					},
					{
						key: "users",
						group,
						label: texts.nav.endUsers,
						hint: project,
						run: (go) => go({ to: "/p/$project/users", params: { project } }),
					},
					{
						key: "dashboards",
						group,
						label: texts.nav.dashboards,
						hint: project,
						run: (go) => go({ to: "/p/$project/dashboards", params: { project } }),
					},
					{
						key: "settings",
						group,
						label: texts.nav.settings,
						hint: project,
						run: (go) => go({ to: "/p/$project/settings", params: { project } }),
					},
				];
	return [
		...own,
		{ key: "projects", group, label: texts.nav.projects, run: (go) => go({ to: "/" }) },
		{ key: "datasets", group, label: texts.nav.datasets, run: (go) => go({ to: "/datasets" }) },
		{ key: "experiments", group, label: texts.nav.experiments, run: (go) => go({ to: "/experiments" }) },
		{ key: "prompts", group, label: texts.nav.prompts, run: (go) => go({ to: "/prompts" }) },
		{ key: "playground", group, label: texts.nav.playground, run: (go) => go({ to: "/playground" }) },
		{ key: "all dashboards", group, label: texts.nav.dashboardsAll, run: (go) => go({ to: "/dashboards" }) },
		{ key: "explore all", group, label: texts.nav.exploreAll, run: (go) => go({ to: "/explore" }) },
		{ key: "evaluators", group, label: texts.nav.evaluators, run: (go) => go({ to: "/evaluators" }) },
		{ key: "reviews", group, label: texts.nav.reviews, run: (go) => go({ to: "/reviews" }) },
		{
			key: "all settings",
			group,
			label: texts.settings.title,
			hint: TEXTS.settingsHint,
			run: (go) => go({ to: "/settings" }),
		},
		{
			key: "documentation",
			group,
			label: texts.nav.documentation,
			run: () => location.assign(`${config.origin}/docs/README`),
		},
	];
}

/** The settings that this person may open. */
function settings(me: Me | undefined): CommandItem[] {
	return listedSections(me).map(({ to, label }) => ({
		key: to,
		group: TEXTS.settings,
		label,
		run: (go) => go({ to }),
	}));
}

function toFoundItem(found: Found): CommandItem {
	const shared = { key: `${found.kind} ${found.project.id}`, group: TEXTS.ids, hint: found.project.name };
	const { traceId = "", spanId = "", sessionId = "" } = found;
	const project = projectSlug(found.project);
	if (found.kind === "session") {
		return {
			...shared,
			label: TEXTS.openSession(sessionId),
			run: (go) => go({ to: "/p/$project/sessions/$session", params: { project, session: sessionId } }),
		};
	}
	const isSpan = found.kind === "span";
	return {
		...shared,
		label: isSpan ? TEXTS.openSpan(spanId) : TEXTS.openTrace(traceId),
		run: (go) =>
			go({
				to: "/p/$project/traces/$trace",
				params: { project, trace: traceId },
				search: isSpan ? { span: spanId } : {},
			}),
	};
}

/** The open trace compared with the one that was found. */
function comparisons(
	{ traceId, project: found }: Found,
	project: string | undefined,
	trace: string | undefined,
): CommandItem[] {
	if (project === undefined || trace === undefined || traceId === undefined || traceId === trace) return [];
	const other = projectSlug(found);
	return [
		{
			key: `compare ${found.id} ${traceId}`,
			group: TEXTS.ids,
			label: TEXTS.compareWith(traceId),
			hint: found.name,
			run: (go) =>
				go({
					to: "/p/$project/traces/$trace/compare",
					params: { project, trace },
					search: { with: traceId, ...(other === project ? {} : { in: other }) },
				}),
		},
	];
}

function searches(words: string, project: string | undefined): CommandItem[] {
	if (!words || project === undefined) return [];
	const group = texts.command.search;
	const params = { project };
	return [
		{
			key: "search",
			group,
			label: TEXTS.searchIn(project, words),
			run: (go) => go({ to: "/p/$project/traces", params, search: { q: words } }),
		},
		{
			key: "search spans",
			group,
			label: TEXTS.searchSpansIn(project, words),
			run: (go) => go({ to: "/p/$project/traces", params, search: { q: words, view: "spans" } }),
		},
	];
}

/** What keys do on the page, and the theme. */
function commands(shortcuts: readonly ShortcutGroup[]): CommandItem[] {
	const group = TEXTS.commands;
	const ofPage = shortcuts.flatMap((each) =>
		each.within === undefined ? each.shortcuts.filter(({ inFields }) => !inFields) : [],
	);
	return [
		...ofPage.map(({ label, keys: [key = ""], run }) => ({
			key: `command ${key} ${label}`,
			group,
			label,
			hint: keyLabel(key),
			run: () => run(new KeyboardEvent("keydown", { key })),
		})),
		...(["light", "dark", "system"] as const).map((choice) => ({
			key: `theme ${choice}`,
			group,
			label: TEXTS.theme(texts.theme[choice]),
			run: () => setThemeChoice(choice),
		})),
	];
}

/** What was found in all projects. */
export function everywhereItems(words: string, { found }: Everywhere): CommandItem[] {
	return found.flatMap(({ project, traces, hasMore }) => {
		const params = { project: projectSlug(project) };
		const group = project.name;
		const all: CommandItem = {
			key: `all ${project.id}`,
			group,
			label: TEXTS.allIn(project.name),
			run: (go) => go({ to: "/p/$project/traces", params, search: { q: words, from: "all" } }),
		};
		return [
			...traces.map((trace) => ({
				key: trace.id,
				group,
				label: [trace.root_name, trace.first_input?.slice(0, 200)].filter(Boolean).join(": ") || trace.trace_id,
				hint: formatTime(trace.start_time),
				run: (go: Navigate) => go({ to: "/p/$project/traces/$trace", params: { ...params, trace: trace.trace_id } }),
			})),
			...(hasMore ? [all] : []),
		];
	});
}

export interface CommandSources {
	readonly words: string;
	readonly project: string | undefined;
	/** Id of the open trace. */
	readonly trace: string | undefined;
	readonly projects: readonly Project[];
	readonly datasets: readonly Dataset[];
	readonly prompts: readonly Prompt[];
	readonly found: readonly Found[];
	readonly shortcuts: readonly ShortcutGroup[];
	readonly me: Me | undefined;
	readonly onSearchEverywhere: () => void;
}

/** The palette's items for the words, the best match first. */
export function commandItems(sources: CommandSources): CommandItem[] {
	const { words, project, trace, projects, datasets, prompts, found, shortcuts, me } = sources;
	const lower = words.toLowerCase();
	const has = (text: string) => text.toLowerCase().includes(lower);
	return [
		...found.flatMap((each) => [toFoundItem(each), ...comparisons(each, project, trace)]),
		...pages(project).filter((item) => has(item.label)),
		...(words === "" ? [] : settings(me).filter((item) => has(item.label) || has(texts.settings.title))),
		...projects
			.filter((each) => has(each.name))
			.slice(0, 8)
			.map((each) => ({
				key: each.id,
				group: TEXTS.projects,
				label: each.name,
				access: each.access,
				run: (go: Navigate) => go({ to: "/p/$project/traces", params: { project: projectSlug(each) } }),
			})),
		...(words === "" ? [] : datasets.filter((each) => has(each.name)).slice(0, 8)).map((each) => ({
			key: each.id,
			group: TEXTS.datasets,
			label: each.name,
			run: (go: Navigate) => go({ to: "/datasets/$dataset/examples", params: { dataset: each.id } }),
		})),
		...prompts.map((each) => ({
			key: each.id,
			group: TEXTS.prompts,
			label: each.name,
			run: (go: Navigate) => go({ to: "/prompts/$prompt", params: { prompt: each.name } }),
		})),
		...(words === "" ? [] : commands(shortcuts).filter((item) => has(item.label))),
		...searches(words, project ?? (projects[0] && projectSlug(projects[0]))),
		...(words === ""
			? []
			: [
					{
						key: "search everywhere",
						group: texts.command.search,
						label: TEXTS.searchEverywhere(words),
						stays: true,
						run: sources.onSearchEverywhere,
					},
				]),
	];
}
