import { setTimeout as sleep } from "node:timers/promises";
import {
	ADMIN_SECRET,
	Client,
	createAccount,
	createUserKey,
	logIn,
	startWithAuth,
	WITH_ACCOUNTS,
} from "../../e2e/access/accounts.ts";
import { startPostgres } from "../../e2e/peers/postgres.ts";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";
import { sampleLatency } from "../latency.ts";
import { headerFlags, PROJECT, sampleRates, sendLoad, warmUp } from "../load-generator.ts";
import { readSettledCpu } from "../process-cpu.ts";
import { storeReviews } from "../stored-reviews.ts";
import { DURABLE } from "./postgres.ts";
import { measureReviewPage } from "./review-page.ts";

const ITEMS = 100_000;
const SPANS = 102_400;
const REVIEWERS = 50;
/** Items that each reviewer answers, and milliseconds that somebody looks at one. */
const ROUNDS = 20;
const LOOKS = [1_000, 2_000] as const;
/** Traces for the one who reviews in a browser. */
const SHOWN = 100;
const AGREEMENTS = 3;
const SENDING = headerFlags({ authorization: `Bearer ${ADMIN_SECRET}` });
/** How often the rate is measured before, during and after filling. */
const SAMPLES = 3;

/** A review queue of 100,000 items: filling it, fifty people who answer at once, and how far three of them agree. */
export async function measureReview(): Promise<Figure[]> {
	const figures = await measureOn("", await startWithAuth({}, undefined, { inProcess: false }), measureAgreement);
	await using postgres = await startPostgres({ settings: DURABLE });
	const storage = { url: postgres.url, schema: "review" };
	const onPostgres = await startServer({ env: WITH_ACCOUNTS, storage });
	return [...figures, ...(await measureOn("PostgreSQL: ", onPostgres))];
}

interface Asked {
	readonly server: TestServer;
	readonly lead: Client;
	readonly configId: string;
}

async function measureOn(
	place: string,
	server: TestServer,
	measureMore?: (asked: Asked) => Promise<Figure[]>,
): Promise<Figure[]> {
	try {
		const lead = await member(server, "ADMIN");
		const values = [{ label: "good", score: 1 }, { label: "bad" }];
		const verdict = { name: "verdict", type: "CATEGORICAL", optimization_direction: "MAXIMIZE", values };
		const { id: configId } = await lead.data("POST", "/v1/annotation_configs", verdict);
		const asked = { server, lead, configId };
		await warmUp("-url", server.url, ...SENDING);
		await sendLoad("-url", server.url, ...SENDING, "-spans", String(SPANS), "-conc", "4");
		const queue = await createQueue(asked, "taken in turns");
		const filling = await measureFilling(place, asked, queue);
		const rule = await measureRule(place, asked);
		// What receiving leaves behind is not what reviewers wait for.
		await readSettledCpu(server.pid);
		const turns = await measureTurns(place, asked, queue);
		const traces = await createQueue(asked, "in the browser", { target: "trace" });
		await fill(asked, traces, SHOWN);
		const page = await measureReviewPage(place, server, traces);
		return [...filling, rule, ...turns, page, ...((await measureMore?.(asked)) ?? [])];
	} finally {
		await server[Symbol.asyncDispose]();
	}
}

async function member(server: TestServer, role: "ADMIN" | "MEMBER"): Promise<Client> {
	const { email, password } = await createAccount(server, role);
	return new Client(server, await createUserKey(await logIn(server, email, password)));
}

async function createQueue({ lead, configId }: Asked, name: string, more: object = {}): Promise<string> {
	const questions = [{ annotation_config_id: configId }];
	return (await lead.data("POST", "/v1/review_queues", { name, target: "span", questions, ...more })).id;
}

/** Filling a queue alone, and another one while spans are received. */
async function measureFilling(place: string, asked: Asked, queue: string): Promise<Figure[]> {
	const rates = () => sampleRates(SAMPLES, "-url", asked.server.url, ...SENDING);
	const alone = await fill(asked, queue);
	const before = await rates();
	const beside = fill(asked, await createQueue(asked, "filled beside receiving"));
	const during = await rates();
	await beside;
	const after = await rates();
	const [without, meanwhile] = [quantile([...before, ...after], 0.5), quantile(during, 0.5)];
	return [
		{
			name: `${place}filling a review queue by a filter`,
			value: ITEMS / alone,
			...{ unit: "items/s", target: { atLeast: 5_000 } },
			detail: `${formatNumber(ITEMS)} spans in ${formatNumber(alone)} s`,
		},
		{
			name: `${place}receiving while a review queue is filled, of its rate without`,
			value: (100 * meanwhile) / without,
			...{ unit: "%", target: { atLeast: 90 } },
			detail: `${formatNumber(meanwhile)} against ${formatNumber(without)} spans/s before and after`,
		},
	];
}

/** Receiving while a standing rule decides what came a minute before, and adds a fifth of it. */
async function measureRule(place: string, asked: Asked): Promise<Figure> {
	const { lead, server } = asked;
	const flags = ["-url", server.url, ...SENDING];
	const path = `/v1/review_queues/${await createQueue(asked, "ruled")}/rule`;
	const rule = { project: PROJECT, filter: "span_kind == 'LLM'", sample: 0.2 };
	await lead.data("PUT", path, rule);
	const countAdded = async (): Promise<number> => (await lead.data("GET", path)).added;
	await sendLoad(...flags, "-spans", String(SPANS), "-conc", "4");
	const before = await sampleRates(SAMPLES, ...flags);
	while ((await countAdded()) === 0) await sleep(20);
	const began = performance.now();
	const during: number[] = [];
	for (let added = 0, isWorking = true; isWorking; ) {
		const rates = await sampleRates(1, ...flags);
		const now = await countAdded();
		isWorking = now > added;
		if (isWorking || during.length === 0) during.push(...rates);
		added = now;
	}
	const seconds = (performance.now() - began) / 1_000;
	const added = await countAdded();
	await lead.data("PUT", path, { ...rule, enabled: false });
	const after = await sampleRates(SAMPLES, ...flags);
	const [without, meanwhile] = [quantile([...before, ...after], 0.5), quantile(during, 0.5)];
	return {
		name: `${place}receiving while a standing rule adds to a review queue, of its rate without`,
		value: (100 * meanwhile) / without,
		...{ unit: "%", target: { atLeast: 90 } },
		detail: `${formatNumber(meanwhile)} against ${formatNumber(without)} spans/s before and after; ${formatNumber(added)} items added in ${formatNumber(seconds)} s`,
	};
}

/** @returns seconds */
async function fill({ lead }: Asked, queue: string, limit = ITEMS): Promise<number> {
	const began = performance.now();
	const filling = { project: PROJECT, filter: "", limit };
	const { id } = await lead.data("POST", `/v1/review_queues/${queue}/items`, filling);
	for (;;) {
		const { state, error } = await lead.data("GET", `/v1/bulk_runs/${id}`);
		if (state === "done") return (performance.now() - began) / 1_000;
		if (state === "failed" || state === "cancelled") throw new Error(`filling has ${state}: ${error}`);
		await sleep(50);
	}
}

/** What people who review at once were given, and how long it took in milliseconds. */
class Shift {
	/** From asking for an item until it is there. */
	readonly next: number[] = [];
	/** From sending the answers to one item until the next one is there. */
	readonly saveToNext: number[] = [];
	readonly given: string[] = [];

	get twice(): number {
		return this.given.length - new Set(this.given).size;
	}
}

interface Reviewing {
	readonly queue: string;
	readonly configId: string;
	/** Milliseconds that somebody looks at an item, from and to. */
	readonly looks: readonly [number, number];
	readonly rounds: number;
}

async function reviewInTurns(person: Client, { queue, configId, looks, rounds }: Reviewing, shift: Shift) {
	const [least, most] = looks;
	const look = () => sleep(least + Math.random() * (most - least));
	// They do not all begin in the same moment.
	await sleep(Math.random() * most);
	let saved: number | undefined;
	for (let round = 0; round < rounds; round += 1) {
		const asked = performance.now();
		const { item } = await person.data("POST", `/v1/review_queues/${queue}/next`);
		const got = performance.now();
		shift.next.push(got - asked);
		if (saved !== undefined) shift.saveToNext.push(got - saved);
		shift.given.push(item.id);
		if (most > 0) await look();
		saved = performance.now();
		const answers = [{ annotation_config_id: configId, label: round % 3 === 0 ? "bad" : "good" }];
		await person.data("POST", `/v1/review_queues/${queue}/items/${item.id}/review`, { answers });
	}
}

/**
 * Fifty reviewers at once: as people do, who look at an item for a second or two, which is how soon somebody is answered; and
 * without a pause. Then all fifty wait in line at any moment, whatever a single request takes: at N reviews a second each of them
 * gets one in 50/N seconds, so that this says how many reviews the server takes, and not how soon it answers.
 */
async function measureTurns(place: string, { server, configId }: Asked, queue: string): Promise<Figure[]> {
	const people: Client[] = [];
	for (let number = 0; number < REVIEWERS; number += 1) people.push(await member(server, "MEMBER"));
	const all = async (looks: Reviewing["looks"], rounds: number) => {
		const shift = new Shift();
		const began = performance.now();
		await Promise.all(people.map((person) => reviewInTurns(person, { queue, configId, looks, rounds }, shift)));
		const seconds = (performance.now() - began) / 1_000;
		const many = `${formatNumber(shift.given.length / seconds)} reviews/s`;
		return { shift, detail: `${rounds} items each of ${formatNumber(ITEMS)}; ${many}` };
	};
	const looking = await all(LOOKS, ROUNDS);
	const hurried = await all([0, 0], ROUNDS);
	const milliseconds = (
		name: string,
		times: readonly number[],
		share: number,
		atMost: number,
		detail: string,
	): Figure => {
		const title = `${place}${name}, p${share * 100}`;
		return { name: title, value: quantile(times, share), unit: "ms", target: { atMost }, detail };
	};
	const next = `next item for one of ${REVIEWERS} reviewers`;
	const unhurried = `${REVIEWERS} reviewers who look for 1 to 2 s, ${looking.detail}`;
	const inLine = `each asks again at once, ${hurried.detail}: ${REVIEWERS} wait in line`;
	return [
		milliseconds(next, looking.shift.next, 0.5, 10, unhurried),
		milliseconds(next, looking.shift.next, 0.99, 50, unhurried),
		milliseconds("a save and the next item, without the page", looking.shift.saveToNext, 0.95, 100, unhurried),
		milliseconds(`${next} without a pause`, hurried.shift.next, 0.5, 10, inLine),
		milliseconds(`${next} without a pause`, hurried.shift.next, 0.99, 50, inLine),
		{
			name: `${place}items given twice`,
			value: looking.shift.twice + hurried.shift.twice,
			...{ unit: "", target: { atMost: 0 } },
			detail: `of ${formatNumber(looking.shift.given.length + hurried.shift.given.length)}`,
		},
	];
}

/** Figures of 100,000 items with three answers each, which are put into the database. */
async function measureAgreement(asked: Asked): Promise<Figure[]> {
	const { server } = asked;
	const queue = await createQueue(asked, "agreed upon", { reviews_required: 3, blind: false });
	await fill(asked, queue);
	await server.stop();
	storeReviews(server.workingDir, queue);
	await server.start();
	// What somebody asks again is not computed again.
	const people: Client[] = [];
	for (let number = 0; number < AGREEMENTS; number += 1) people.push(await member(server, "MEMBER"));
	const ask = async (person: Client) => {
		const began = performance.now();
		const { items } = await person.data("GET", `/v1/review_queues/${queue}/agreement`);
		if (items !== ITEMS) throw new Error(`figures are of ${items} items`);
		return (performance.now() - began) / 1_000;
	};
	const times: number[] = [];
	const beside = sampleLatency(`${server.url}/healthz`, 20);
	for (const person of people) times.push(await ask(person));
	const others = await beside.stop();
	const again: number[] = [];
	for (const person of people) again.push(await ask(person));
	return [
		{
			name: `agreement of ${formatNumber(3 * ITEMS)} answers with intervals`,
			value: quantile(times, 0.5),
			...{ unit: "s", target: { atMost: 3 } },
			detail: `median of ${AGREEMENTS} people, ${formatNumber(1_000 * quantile(again, 0.5))} ms when they ask again; meanwhile /healthz took ${formatNumber(quantile(others, 0.5))} ms, p99 ${formatNumber(quantile(others, 0.99))}`,
		},
	];
}
