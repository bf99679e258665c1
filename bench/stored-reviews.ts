import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const REVIEWERS = 3;
/** Of answers that are as the first reviewer's. */
const ALIKE = 0.8;

/**
 * Gives each item of a queue with one labelled question the answers of three people, while no server has the folder open: as
 * many requests would take longer than what is measured.
 * @param queueId global
 */
export function storeReviews(workingDir: string, queueId: string): void {
	const db = new DatabaseSync(join(workingDir, "spanward.db"));
	try {
		const queue = Number(Buffer.from(queueId, "base64").toString().split(":")[1]);
		const row = db.prepare("select questions from review_queues where id = ?").get(queue);
		const [question] = JSON.parse(String(row?.["questions"])) as { configId: number; name: string }[];
		if (question === undefined) throw new Error("the queue asks nothing");
		const { configId, name } = question;
		const answered = (label: string) =>
			JSON.stringify([{ configId, name, label, score: label === "good" ? 1 : null, explanation: null }]);
		const answers = { good: answered("good"), bad: answered("bad") };
		const insert = db.prepare(
			`insert into review_turns (queue_id, item_id, reviewer, status, reserved_until, answers, source, started_at, finished_at)
			values (?, ?, ?, 'done', 0, ?, 'API', 1, 1)`,
		);
		db.exec("begin");
		for (const { id } of db.prepare("select id from review_items where queue_id = ?").all(queue)) {
			const first = Math.random() < 0.5 ? "good" : "bad";
			const other = first === "good" ? "bad" : "good";
			for (let reviewer = 1; reviewer <= REVIEWERS; reviewer += 1) {
				const label = reviewer === 1 || Math.random() < ALIKE ? first : other;
				insert.run(queue, Number(id), reviewer, answers[label]);
			}
		}
		db.prepare("update review_items set state = 'done', is_published = 1 where queue_id = ?").run(queue);
		db.exec("commit");
	} finally {
		db.close();
	}
}
