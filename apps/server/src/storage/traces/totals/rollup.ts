import { counts, type SpanNode, startsBefore } from "./span-node.ts";

/** Sums over spans; tokens and cost over those that count. */
export interface Totals {
	spans: number;
	/** Spans without an end. */
	running: number;
	errors: number;
	prompt: number;
	completion: number;
	total: number;
	/** With `costPico`, the two numbers of a `SummedCost`. */
	costMicro: number;
	costPico: number;
	costed: number;
}

/** The totals of a trace's row; independent of the order in which spans are added. */
export interface Rollup extends Totals {
	startMicros: number;
	startNanos: number;
	endMicros: number;
	endNanos: number;
	/** The earliest span without a parent id, else the earliest span. */
	root: SpanNode;
	/** The earliest span with a user. */
	user: SpanNode | undefined;
	/** The earliest span with a session, which is the trace's session. */
	session: SpanNode | undefined;
	/** The earliest span with a release. */
	release: SpanNode | undefined;
	/** The earliest span with an environment. */
	environment: SpanNode | undefined;
}

export function noTotals(): Totals {
	return { spans: 0, running: 0, errors: 0, prompt: 0, completion: 0, total: 0, costMicro: 0, costPico: 0, costed: 0 };
}

export function startRollup(first: SpanNode): Rollup {
	const { startMicros, startNanos, endMicros, endNanos } = first;
	const rollup = { ...noTotals(), startMicros, startNanos, endMicros, endNanos, root: first };
	return { ...rollup, user: undefined, session: undefined, release: undefined, environment: undefined };
}

/** Adds a span whose mark "usage below" is up to date. */
export function addToRollup(rollup: Rollup, node: SpanNode): void {
	rollup.spans += 1;
	if (node.isRunning) rollup.running += 1;
	if (node.statusCode === 2) rollup.errors += 1;
	addCounted(rollup, node, 1);
	if (isBefore(node.startMicros, node.startNanos, rollup.startMicros, rollup.startNanos)) {
		rollup.startMicros = node.startMicros;
		rollup.startNanos = node.startNanos;
	}
	if (isBefore(rollup.endMicros, rollup.endNanos, node.endMicros, node.endNanos)) {
		rollup.endMicros = node.endMicros;
		rollup.endNanos = node.endNanos;
	}
	if (isBetterRoot(node, rollup.root)) rollup.root = node;
	if (node.userId !== null) rollup.user = earlier(rollup.user, node);
	if (node.sessionId !== null) rollup.session = earlier(rollup.session, node);
	addDeployment(rollup, node);
}

/** Adds what a span says of the release and the environment. */
export function addDeployment(rollup: Pick<Rollup, "release" | "environment">, node: SpanNode): void {
	if (node.release !== null) rollup.release = earlier(rollup.release, node);
	if (node.environment !== null) rollup.environment = earlier(rollup.environment, node);
}

function earlier(known: SpanNode | undefined, node: SpanNode): SpanNode {
	return known === undefined || startsBefore(node, known) ? node : known;
}

/** Puts a span in the place of one without usage that ends no later, and says nothing that this one does not say. */
export function replaceInRollup(rollup: Rollup, before: SpanNode, node: SpanNode): void {
	rollup.spans -= 1;
	if (before.isRunning) rollup.running -= 1;
	if (before.statusCode === 2) rollup.errors -= 1;
	if (rollup.root.id === node.id) rollup.root = node;
	if (rollup.user?.id === node.id) rollup.user = node;
	if (rollup.session?.id === node.id) rollup.session = node;
	if (rollup.release?.id === node.id) rollup.release = node;
	if (rollup.environment?.id === node.id) rollup.environment = node;
	addToRollup(rollup, node);
}

/** Adds (1) or subtracts (-1) the tokens and cost of a span, if they count. */
export function addCounted(totals: Totals, node: SpanNode, sign: 1 | -1): void {
	if (!counts(node)) return;
	addUsage(totals, node, sign);
}

export function addUsage(totals: Totals, node: SpanNode, sign: 1 | -1): void {
	totals.prompt += sign * node.prompt;
	totals.completion += sign * node.completion;
	totals.total += sign * node.total;
	if (node.cost === null) return;
	totals.costMicro += sign * node.cost.micro;
	totals.costPico += sign * node.cost.pico;
	totals.costed += sign;
}

/** The user of a trace: its root's, else that of the earliest span with a user. */
export function userOf(rollup: Rollup): string | null {
	return rollup.root.userId ?? rollup.user?.userId ?? null;
}

/** The release of a trace, found as its user is. */
export function releaseOf({ root, release }: Pick<Rollup, "root" | "release">): string | null {
	return root.release ?? release?.release ?? null;
}

/** The environment of a trace, found as its user is. */
export function environmentOf({ root, environment }: Pick<Rollup, "root" | "environment">): string | null {
	return root.environment ?? environment?.environment ?? null;
}

function isBetterRoot(node: SpanNode, root: SpanNode): boolean {
	const parentless = node.parentSpanId === null;
	if (parentless !== (root.parentSpanId === null)) return parentless;
	return startsBefore(node, root);
}

function isBefore(aMicros: number, aNanos: number, bMicros: number, bNanos: number): boolean {
	return aMicros < bMicros || (aMicros === bMicros && aNanos < bNanos);
}
