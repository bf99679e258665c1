import {
	createRootRoute,
	createRoute,
	createRouter,
	lazyRouteComponent,
	redirect,
	stripSearchParams,
} from "@tanstack/react-router";
import { askAhead } from "./lib/ask-ahead.ts";
import { config } from "./lib/config.ts";
import { loadPart } from "./lib/load-part.ts";
import { queryClient } from "./lib/query-client.ts";
import { choiceParam, parseSearch, present, stringifySearch, textParam } from "./lib/search-params.ts";
import { parseTimeRange } from "./lib/time-range.ts";
import { parseAcrossDashboardSearch, parseDashboardSearch, parseDashboardsSearch } from "./pages/dashboards/search.ts";
import { parseDatasetsSearch, parseExamplesSearch } from "./pages/datasets/search.ts";
import { type ErrorsSearch, parseErrorsSearch } from "./pages/errors/search.ts";
import { parseEvaluatorSearch, parseEvaluatorsSearch } from "./pages/evaluators/search.ts";
import { parseCompareSearch, parseExperimentsSearch } from "./pages/experiments/search.ts";
import { hasListFilters } from "./pages/explore/list-filters.ts";
import { parseAcrossSearch, parseExploreSearch } from "./pages/explore/search.ts";
import { parseOverviewSearch } from "./pages/overview/search.ts";
import { parsePlaygroundSearch } from "./pages/playground/search.ts";
import { activeProjectPages } from "./pages/projects/queries.ts";
import { parseProjectsSearch } from "./pages/projects/search.ts";
import { parsePromptSearch, parsePromptsSearch } from "./pages/prompts/search.ts";
import { parseCalibrationSearch, parseItemsSearch, parseReviewsSearch } from "./pages/reviews/search.ts";
import { sessionPages } from "./pages/sessions/queries.ts";
import { parseSessionsSearch, type SessionsSearch } from "./pages/sessions/search.ts";
import { parseAuditSearch } from "./pages/settings/audit/audit-search.ts";
import { parseCompareTracesSearch } from "./pages/trace/compare/search.ts";
import { traceQuery } from "./pages/trace/queries.ts";
import { listedRows } from "./pages/traces/queries.ts";
import { parseTracesSearch, type TracesSearch } from "./pages/traces/search.ts";
import { parseUsersSearch, type UsersSearch } from "./pages/users/search.ts";
import { AppShell } from "./shell/app-shell.tsx";
import { CrashPage } from "./shell/crash-page.tsx";
import { NotFoundPage } from "./shell/not-found-page.tsx";
import { ProjectLayout } from "./shell/project-layout.tsx";
import { hasState } from "./views/list-address.ts";
import { defaultViewsQuery } from "./views/queries.ts";
import { withSavedView, writeSavedView } from "./views/saved-view-address.ts";

/** Asked with the rows, as the list waits for it. */
function askDefaultViews(project: string): void {
	void queryClient.prefetchQuery(defaultViewsQuery(project));
}

/** A page that is loaded when somebody goes there, or is about to. */
const page: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadPart(load), name);

const root = createRootRoute({ component: AppShell, notFoundComponent: NotFoundPage });

const projects = createRoute({
	getParentRoute: () => root,
	path: "/",
	validateSearch: parseProjectsSearch,
	beforeLoad: ({ search, preload }) => {
		if (!preload) askAhead(activeProjectPages(search.q, search));
	},
	component: page(() => import("./pages/projects/projects-page.tsx"), "ProjectsPage"),
});

const settings = createRoute({
	getParentRoute: () => root,
	path: "/settings",
	component: page(() => import("./pages/settings/settings-layout.tsx"), "SettingsLayout"),
});

const settingsIndex = createRoute({
	getParentRoute: () => settings,
	path: "/",
	beforeLoad: () => {
		throw redirect({ to: config.auth.enabled ? "/settings/account" : "/settings/ingest", replace: true });
	},
});

const account = createRoute({
	getParentRoute: () => settings,
	path: "/account",
	component: page(() => import("./pages/settings/account/account-page.tsx"), "AccountPage"),
});

const loginSessions = createRoute({
	getParentRoute: () => settings,
	path: "/sessions",
	component: page(() => import("./pages/settings/account/sessions-page.tsx"), "LoginSessionsPage"),
});

const ownKeys = createRoute({
	getParentRoute: () => settings,
	path: "/api-keys",
	component: page(() => import("./pages/settings/keys/keys-page.tsx"), "OwnKeysPage"),
});

const apps = createRoute({
	getParentRoute: () => settings,
	path: "/apps",
	validateSearch: (search: Record<string, unknown>) =>
		present({ show: choiceParam(search["show"], ["all"]), client: textParam(search["client"]) }),
	component: page(() => import("./pages/settings/programs/apps-page.tsx"), "AppsPage"),
});

const agents = createRoute({
	getParentRoute: () => settings,
	path: "/agents",
	validateSearch: (search: Record<string, unknown>) => present({ show: choiceParam(search["show"], ["all"]) }),
	component: page(() => import("./pages/settings/agents/agents-page.tsx"), "AgentsPage"),
});

const clients = createRoute({
	getParentRoute: () => settings,
	path: "/clients",
	component: page(() => import("./pages/settings/programs/clients-page.tsx"), "ClientsPage"),
});

const users = createRoute({
	getParentRoute: () => settings,
	path: "/users",
	component: page(() => import("./pages/settings/users/users-page.tsx"), "UsersPage"),
});

const teams = createRoute({
	getParentRoute: () => settings,
	path: "/teams",
	component: page(() => import("./pages/settings/teams/teams-page.tsx"), "TeamsPage"),
});

const team = createRoute({
	getParentRoute: () => settings,
	path: "/teams/$team",
	component: page(() => import("./pages/settings/teams/team-page.tsx"), "TeamPage"),
});

const access = createRoute({
	getParentRoute: () => settings,
	path: "/access",
	validateSearch: (search: Record<string, unknown>) =>
		present({ subject: textParam(search["subject"]), project: textParam(search["project"]) }),
	component: page(() => import("./pages/settings/access/access-page.tsx"), "AccessPage"),
});

const signIn = createRoute({
	getParentRoute: () => settings,
	path: "/sign-in",
	validateSearch: (search: Record<string, unknown>) => present({ try: textParam(search["try"]) }),
	component: page(() => import("./pages/settings/sign-in/sign-in-page.tsx"), "SignInPage"),
});

const userKeys = createRoute({
	getParentRoute: () => settings,
	path: "/user-keys",
	component: page(() => import("./pages/settings/keys/user-keys-page.tsx"), "UserKeysPage"),
});

const systemKeys = createRoute({
	getParentRoute: () => settings,
	path: "/system-keys",
	component: page(() => import("./pages/settings/keys/keys-page.tsx"), "SystemKeysPage"),
});

const secrets = createRoute({
	getParentRoute: () => settings,
	path: "/secrets",
	component: page(() => import("./pages/settings/secrets/secrets-page.tsx"), "SecretsPage"),
});

const audit = createRoute({
	getParentRoute: () => settings,
	path: "/audit",
	validateSearch: parseAuditSearch,
	component: page(() => import("./pages/settings/audit/audit-page.tsx"), "AuditPage"),
});

const ingest = createRoute({
	getParentRoute: () => settings,
	path: "/ingest",
	component: page(() => import("./pages/settings/ingest/ingest-page.tsx"), "IngestPage"),
});

const annotationConfigs = createRoute({
	getParentRoute: () => settings,
	path: "/annotation-configs",
	component: page(() => import("./pages/settings/annotations/configs-page.tsx"), "AnnotationConfigsPage"),
});

const waitingAnnotations = createRoute({
	getParentRoute: () => settings,
	path: "/waiting-annotations",
	component: page(() => import("./pages/settings/annotations/waiting-page.tsx"), "WaitingPage"),
});

const retention = createRoute({
	getParentRoute: () => settings,
	path: "/retention",
	component: page(() => import("./pages/settings/retention/retention-page.tsx"), "RetentionPage"),
});

const models = createRoute({
	getParentRoute: () => settings,
	path: "/models",
	component: page(() => import("./pages/settings/models/models-page.tsx"), "ModelsPage"),
});

const prices = createRoute({
	getParentRoute: () => settings,
	path: "/prices",
	validateSearch: (search: Record<string, unknown>) => present({ q: textParam(search["q"]) }),
	component: page(() => import("./pages/settings/prices/prices-page.tsx"), "PricesPage"),
});

const storage = createRoute({
	getParentRoute: () => settings,
	path: "/storage",
	validateSearch: (search: Record<string, unknown>) => present({ node: textParam(search["node"]) }),
	component: page(() => import("./pages/settings/storage/storage-page.tsx"), "StoragePage"),
});

const playground = createRoute({
	getParentRoute: () => root,
	path: "/playground",
	validateSearch: parsePlaygroundSearch,
	component: page(() => import("./pages/playground/playground-page.tsx"), "PlaygroundPage"),
});

const evaluators = createRoute({
	getParentRoute: () => root,
	path: "/evaluators",
	validateSearch: parseEvaluatorsSearch,
	component: page(() => import("./pages/evaluators/evaluators-page.tsx"), "EvaluatorsPage"),
});

const evaluator = createRoute({
	getParentRoute: () => root,
	path: "/evaluators/$evaluator",
	validateSearch: parseEvaluatorSearch,
	component: page(() => import("./pages/evaluators/evaluator-page.tsx"), "EvaluatorPage"),
});

const prompts = createRoute({
	getParentRoute: () => root,
	path: "/prompts",
	validateSearch: parsePromptsSearch,
	component: page(() => import("./pages/prompts/prompts-page.tsx"), "PromptsPage"),
});

const prompt = createRoute({
	getParentRoute: () => root,
	path: "/prompts/$prompt",
	validateSearch: parsePromptSearch,
	component: page(() => import("./pages/prompts/prompt-page.tsx"), "PromptPage"),
});

const datasets = createRoute({
	getParentRoute: () => root,
	path: "/datasets",
	validateSearch: parseDatasetsSearch,
	component: page(() => import("./pages/datasets/datasets-page.tsx"), "DatasetsPage"),
});

const dataset = createRoute({
	getParentRoute: () => root,
	path: "/datasets/$dataset",
	component: page(() => import("./pages/datasets/dataset-layout.tsx"), "DatasetLayout"),
});

const datasetIndex = createRoute({
	getParentRoute: () => dataset,
	path: "/",
	beforeLoad: ({ params }) => {
		throw redirect({ to: "/datasets/$dataset/examples", params, replace: true });
	},
});

const datasetExamples = createRoute({
	getParentRoute: () => dataset,
	path: "/examples",
	validateSearch: parseExamplesSearch,
	component: page(() => import("./pages/datasets/examples-page.tsx"), "ExamplesPage"),
});

const datasetVersions = createRoute({
	getParentRoute: () => dataset,
	path: "/versions",
	component: page(() => import("./pages/datasets/versions-page.tsx"), "VersionsPage"),
});

const datasetSplits = createRoute({
	getParentRoute: () => dataset,
	path: "/splits",
	component: page(() => import("./pages/datasets/splits-page.tsx"), "SplitsPage"),
});

const datasetEvaluators = createRoute({
	getParentRoute: () => dataset,
	path: "/evaluators",
	component: page(() => import("./pages/datasets/evaluators-page.tsx"), "DatasetEvaluatorsPage"),
});

const datasetExperiments = createRoute({
	getParentRoute: () => dataset,
	path: "/experiments",
	validateSearch: parseExperimentsSearch,
	component: page(() => import("./pages/experiments/dataset-experiments-page.tsx"), "DatasetExperimentsPage"),
});

const compare = createRoute({
	getParentRoute: () => dataset,
	path: "/compare",
	validateSearch: parseCompareSearch,
	component: page(() => import("./pages/experiments/compare-page.tsx"), "ComparePage"),
});

const experiments = createRoute({
	getParentRoute: () => root,
	path: "/experiments",
	validateSearch: parseExperimentsSearch,
	component: page(() => import("./pages/experiments/experiments-page.tsx"), "ExperimentsPage"),
});

const reviewPages = () => import("./routes/review-pages.ts");
const reviewing = () => import("./routes/review-route.tsx");

const reviews = createRoute({
	getParentRoute: () => root,
	path: "/reviews",
	validateSearch: parseReviewsSearch,
	component: page(reviewPages, "ReviewsPage"),
});

const newQueue = createRoute({
	getParentRoute: () => root,
	path: "/reviews/new",
	component: page(reviewPages, "NewQueuePage"),
});

const queue = createRoute({
	getParentRoute: () => root,
	path: "/reviews/$queue",
	component: page(reviewPages, "QueueLayout"),
});

const queueIndex = createRoute({
	getParentRoute: () => queue,
	path: "/",
	beforeLoad: ({ params }) => {
		throw redirect({ to: "/reviews/$queue/items", params, replace: true });
	},
});

const queueItems = createRoute({
	getParentRoute: () => queue,
	path: "/items",
	validateSearch: parseItemsSearch,
	component: page(reviewPages, "ItemsPage"),
});

const queueProgress = createRoute({
	getParentRoute: () => queue,
	path: "/progress",
	component: page(reviewPages, "ProgressPage"),
});

const queueAgreement = createRoute({
	getParentRoute: () => queue,
	path: "/agreement",
	component: page(reviewPages, "AgreementPage"),
});

const queueCalibration = createRoute({
	getParentRoute: () => queue,
	path: "/calibration",
	validateSearch: parseCalibrationSearch,
	component: page(reviewPages, "CalibrationPage"),
});

const disagreements = createRoute({
	getParentRoute: () => queue,
	path: "/disagreements",
	component: page(reviewPages, "DisagreementsPage"),
});

const queueSettings = createRoute({
	getParentRoute: () => queue,
	path: "/settings",
	component: page(reviewPages, "QueueSettingsPage"),
});

const reviewNext = createRoute({
	getParentRoute: () => root,
	path: "/reviews/$queue/review",
	component: page(reviewing, "ReviewRoute"),
});

const reviewItem = createRoute({
	getParentRoute: () => root,
	path: "/reviews/$queue/items/$item",
	component: page(reviewing, "ReviewItemRoute"),
});

const explore = createRoute({
	getParentRoute: () => root,
	path: "/explore",
	validateSearch: parseAcrossSearch,
	component: page(() => import("./pages/explore/explore-page.tsx"), "ExplorePage"),
});

const dashboards = createRoute({
	getParentRoute: () => root,
	path: "/dashboards",
	validateSearch: parseDashboardsSearch,
	component: page(() => import("./pages/dashboards/dashboards-page.tsx"), "DashboardsPage"),
});

const dashboard = createRoute({
	getParentRoute: () => root,
	path: "/dashboards/$dashboard",
	validateSearch: parseAcrossDashboardSearch,
	component: page(() => import("./pages/dashboards/dashboard-page.tsx"), "DashboardPage"),
});

/** The time range belongs to the project, so that it stays when the tab changes. */
const project = createRoute({
	getParentRoute: () => root,
	path: "/p/$project",
	validateSearch: parseTimeRange,
	search: { middlewares: [stripSearchParams({ from: "", to: "" })] },
	component: ProjectLayout,
});

const projectIndex = createRoute({
	getParentRoute: () => project,
	path: "/",
	beforeLoad: ({ params, search }) => {
		throw redirect({ to: "/p/$project/traces", params, search, replace: true });
	},
});

const traces = createRoute({
	getParentRoute: () => project,
	path: "/traces",
	validateSearch: withSavedView<TracesSearch>(parseTracesSearch),
	search: { middlewares: [writeSavedView] },
	beforeLoad: ({ params, search, preload }) => {
		if (preload) return;
		askAhead(listedRows(params.project, search));
		if (!hasState(search)) askDefaultViews(params.project);
	},
	component: page(() => import("./routes/traces-route.tsx"), "TracesRoute"),
});

const trace = createRoute({
	getParentRoute: () => project,
	path: "/traces/$trace",
	validateSearch: (search: Record<string, unknown>) =>
		present({ span: textParam(search["span"]), tab: textParam(search["tab"]) }),
	beforeLoad: ({ params, preload }) => {
		if (!preload) askAhead(traceQuery(params.project, params.trace));
	},
	component: page(() => import("./routes/trace-route.tsx"), "TraceRoute"),
});

const compareTraces = createRoute({
	getParentRoute: () => project,
	path: "/traces/$trace/compare",
	validateSearch: parseCompareTracesSearch,
	component: page(() => import("./pages/trace/compare/compare-page.tsx"), "CompareTracesPage"),
});

const sessions = createRoute({
	getParentRoute: () => project,
	path: "/sessions",
	validateSearch: withSavedView<SessionsSearch>(parseSessionsSearch),
	search: { middlewares: [writeSavedView] },
	beforeLoad: ({ params, search, preload }) => {
		if (preload) return;
		askAhead(sessionPages(params.project, search));
		if (!hasState(search)) askDefaultViews(params.project);
	},
	component: page(() => import("./pages/sessions/sessions-page.tsx"), "SessionsPage"),
});

const session = createRoute({
	getParentRoute: () => project,
	path: "/sessions/$session",
	component: page(() => import("./pages/sessions/session-page.tsx"), "SessionPage"),
});

const errors = createRoute({
	getParentRoute: () => project,
	path: "/errors",
	validateSearch: withSavedView<ErrorsSearch>(parseErrorsSearch),
	search: { middlewares: [writeSavedView] },
	component: page(() => import("./pages/errors/errors-page.tsx"), "ErrorsPage"),
});

const errorGroup = createRoute({
	getParentRoute: () => project,
	path: "/errors/$group",
	component: page(() => import("./pages/errors/group-page.tsx"), "ErrorGroupPage"),
});

const overview = createRoute({
	getParentRoute: () => project,
	path: "/overview",
	validateSearch: parseOverviewSearch,
	component: page(() => import("./pages/overview/overview-page.tsx"), "OverviewPage"),
});

const projectExplore = createRoute({
	getParentRoute: () => project,
	path: "/explore",
	validateSearch: parseExploreSearch,
	beforeLoad: async ({ params, search }) => {
		if (!hasListFilters(search)) return;
		const { joinListFilters } = await loadPart(() => import("./pages/explore/from-list.ts"));
		throw redirect({ to: "/p/$project/explore", params, search: joinListFilters(search), replace: true });
	},
	component: page(() => import("./pages/explore/project-explore-page.tsx"), "ProjectExplorePage"),
});

const endUsers = createRoute({
	getParentRoute: () => project,
	path: "/users",
	validateSearch: withSavedView<UsersSearch>(parseUsersSearch),
	search: { middlewares: [writeSavedView] },
	component: page(() => import("./pages/users/users-page.tsx"), "UsersPage"),
});

const endUser = createRoute({
	getParentRoute: () => project,
	path: "/users/$user",
	component: page(() => import("./pages/users/user-page.tsx"), "UserPage"),
});

const projectDashboards = createRoute({
	getParentRoute: () => project,
	path: "/dashboards",
	validateSearch: parseDashboardsSearch,
	component: page(() => import("./pages/dashboards/project-dashboards-page.tsx"), "ProjectDashboardsPage"),
});

const projectDashboard = createRoute({
	getParentRoute: () => project,
	path: "/dashboards/$dashboard",
	validateSearch: parseDashboardSearch,
	component: page(() => import("./pages/dashboards/project-dashboard-page.tsx"), "ProjectDashboardPage"),
});

const projectSettings = createRoute({
	getParentRoute: () => project,
	path: "/settings",
	component: page(() => import("./pages/settings/project-settings-page.tsx"), "ProjectSettingsPage"),
});

const projectAccess = createRoute({
	getParentRoute: () => project,
	path: "/settings/access",
	component: page(() => import("./pages/settings/project/access-page.tsx"), "ProjectAccessPage"),
});

/** Addresses of the released Phoenix clients, which print them, lead to the same things here. */
const phoenixProject = createRoute({
	getParentRoute: () => root,
	path: "/projects/$project/$",
	beforeLoad: ({ params: { project: slug, _splat } }) => {
		const [tab, id] = (_splat ?? "").split("/");
		const params = { project: slug };
		if (tab === "traces" && id) throw redirect({ to: "/p/$project/traces/$trace", params: { ...params, trace: id } });
		if (tab === "sessions" && id) throw redirect({ to: "/redirects/$kind/$id", params: { kind: "sessions", id } });
		throw redirect({ to: tab === "sessions" ? "/p/$project/sessions" : "/p/$project/traces", params, replace: true });
	},
});

const phoenixProjects = createRoute({
	getParentRoute: () => root,
	path: "/projects",
	beforeLoad: () => {
		throw redirect({ to: "/", replace: true });
	},
});

const redirects = createRoute({
	getParentRoute: () => root,
	path: "/redirects/$kind/$id",
	component: page(() => import("./pages/redirect/redirect-page.tsx"), "RedirectPage"),
});

export const router = createRouter({
	routeTree: root.addChildren([
		projects,
		settings.addChildren([
			settingsIndex,
			account,
			loginSessions,
			ownKeys,
			apps,
			agents,
			users,
			teams,
			team,
			access,
			signIn,
			userKeys,
			systemKeys,
			clients,
			secrets,
			audit,
			ingest,
			annotationConfigs,
			waitingAnnotations,
			retention,
			models,
			prices,
			storage,
		]),
		phoenixProject,
		phoenixProjects,
		redirects,
		playground,
		evaluators,
		evaluator,
		prompts,
		prompt,
		datasets,
		dataset.addChildren([
			datasetIndex,
			datasetExamples,
			datasetVersions,
			datasetSplits,
			datasetEvaluators,
			datasetExperiments,
			compare,
		]),
		experiments,
		reviews,
		newQueue,
		queue.addChildren([
			queueIndex,
			queueItems,
			queueProgress,
			queueAgreement,
			queueCalibration,
			disagreements,
			queueSettings,
		]),
		reviewNext,
		reviewItem,
		explore,
		dashboards,
		dashboard,
		project.addChildren([
			projectIndex,
			overview,
			projectExplore,
			endUsers,
			endUser,
			errors,
			errorGroup,
			projectDashboards,
			projectDashboard,
			traces,
			trace,
			compareTraces,
			sessions,
			session,
			projectSettings,
			projectAccess,
		]),
	]),
	basepath: config.basePath || "/",
	parseSearch,
	stringifySearch,
	defaultPreload: "intent",
	defaultErrorComponent: CrashPage,
	scrollRestoration: false,
});

declare module "@tanstack/react-router" {
	interface Register {
		router: typeof router;
	}
}
