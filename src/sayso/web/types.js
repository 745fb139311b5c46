// What the server sends, as docs/reference/http-api.md describes it. Types only.

/** @typedef {{text: string, warn?: string} | {mark: string, name: string}} Run */
/** @typedef {Run[]} Shown Text as people see it: joined, the runs are exactly the original. */
/** @typedef {"low" | "medium" | "high"} Severity */

/**
 * @typedef {"pending" | "approved" | "rejected" | "expired" | "cancelled" | "running" | "superseded"
 *   | "refused" | "lapsed" | "done" | "failed" | "unknown" | "unreported"} Status
 */

/**
 * @typedef {object} Rule
 * @property {string} effect
 * @property {string} text
 * @property {string} origin
 * @property {string | null} [place]
 * @property {string} [note]
 * @property {string} [justification]
 */

/**
 * @typedef {object} Why
 * @property {Shown} sentence
 * @property {string} reason
 * @property {boolean} must_ask
 * @property {Rule | null} rule
 * @property {Shown} explain
 */

/** @typedef {{name: Shown, value: Shown, kind: "text" | "json"}} Argument */
/** @typedef {{kind: string, text: Shown, effect: string, decides: boolean}} Target */

/**
 * @typedef {object} What
 * @property {Argument[]} arguments
 * @property {Shown | null} diff
 * @property {Target[]} targets
 * @property {number} hidden
 * @property {number} lines
 * @property {string} note
 */

/** @typedef {"approval" | "clarification" | "elicitation" | "plan"} Kind */

/**
 * @typedef {object} Question what every question has that is no approval
 * @property {string} request_id
 * @property {number} version
 * @property {"pending" | "answered" | "declined" | "expired" | "cancelled"} status
 * @property {Shown} title
 * @property {Shown} agent
 * @property {Shown} user
 * @property {string} session_id
 * @property {string} source
 * @property {Shown | null} context_label
 * @property {string} created_at
 * @property {string | null} expires_at
 * @property {boolean} may_answer
 * @property {string | null} refused why the reader may not
 * @property {Resolution | null} resolution
 */

/** @typedef {{question: Shown, options: Shown[], multi_select: boolean, answer: Shown | null}} Item */
/** @typedef {Question & {kind: "clarification", items: Item[]}} Clarification */

/**
 * @typedef {object} FormField
 * @property {string} name
 * @property {"string" | "number" | "integer" | "boolean" | "array"} kind
 * @property {Shown} label
 * @property {Shown | null} description
 * @property {boolean} required
 * @property {boolean} secret
 * @property {string | null} format
 * @property {{value: string, label: Shown}[]} choices
 * @property {unknown} default
 * @property {Record<string, unknown>} constraints
 */

/** @typedef {{text: Shown, host: Shown, href: string | null}} Url */
/** @typedef {{message: Shown, server: Shown | null, mode: "form" | "url", fields: FormField[], url: Url | null}} Form */
/** @typedef {Question & Form & {kind: "elicitation"}} Elicitation */

/** @typedef {"carry-out" | "accept-edits" | "keep-planning"} PlanAnswer */
/** @typedef {Question & {kind: "plan", plan: Shown, answers: {answer: PlanAnswer, label: string}[], answer: PlanAnswer | null}} PlanReview */

/** @typedef {Clarification | Elicitation | PlanReview} Asked a question, of one of the three kinds */

/** @typedef {{items: {content: Shown, status: "pending" | "in_progress" | "done"}[], done: number, total: number}} TaskList */

/** @typedef {{by: string, channel: string, vote: "approve" | "reject", comment: string | null, at: string}} Review */

/**
 * @typedef {object} Who
 * @property {string} approver
 * @property {number} have
 * @property {number} need
 * @property {boolean} may_decide
 * @property {boolean} may_edit
 * @property {string} waiting
 * @property {string | null} out_of_reach
 * @property {Review[]} reviews
 */

/**
 * @typedef {object} AskedBack
 * @property {string} by
 * @property {Shown} text
 * @property {string} at
 * @property {Shown | null} answer
 * @property {string | null} answered_at
 */

/**
 * @typedef {object} Glass
 * @property {string} by
 * @property {Shown} why
 * @property {string} at
 * @property {string} review_by
 * @property {string | null} reviewed_by
 * @property {boolean | null} justified
 * @property {Shown | null} comment
 */

/**
 * @typedef {object} Asking what there is beside the votes
 * @property {string | null} nobody
 * @property {boolean} escalated
 * @property {boolean} confirms
 * @property {string | null} snoozed_until
 * @property {AskedBack[]} questions
 * @property {boolean} may_ask_back
 * @property {Glass | null} glass
 * @property {boolean} may_break_glass
 * @property {boolean} may_review_glass
 */

/**
 * @typedef {object} Offer what can be remembered with an answer
 * @property {Shown[]} covers all that a grant or a veto would cover
 * @property {("session" | "always")[]} approve
 * @property {("session" | "always")[]} reject
 * @property {{scope: string, label: Shown}[]} bypass
 */

/**
 * @typedef {object} Keep what is to be remembered with a vote
 * @property {"session" | "always"} [remember]
 * @property {number} [bypass_secs]
 * @property {string} [bypass_scope]
 */

/**
 * @typedef {object} Words what somebody is said to have said
 * @property {Shown} content
 * @property {boolean} cut only its beginning was kept
 */

/** @typedef {Words & {role: string}} Message */

/**
 * @typedef {object} Dialogue what led to the call, as the agent's side tells it
 * @property {Words | null} user_request
 * @property {Words | null} summary
 * @property {string | null} summary_by the model that wrote the summary
 * @property {Message[]} messages
 */

/** @typedef {{reason: string, by: string | null, channel: string | null, comment: string | null, at: string}} Resolution */
/** @typedef {{ok: boolean, summary: string, at: string, seconds: number | null, said_by: string | null}} Outcome */

/**
 * @typedef {object} Card
 * @property {string} request_id
 * @property {number} version
 * @property {Status} status
 * @property {Severity} severity
 * @property {Shown} action
 * @property {Shown} tool
 * @property {boolean} runs
 * @property {Shown | null} server
 * @property {string} code
 * @property {string} digest
 * @property {Shown} agent
 * @property {Shown} user
 * @property {string} session_id
 * @property {string | null} batch_id the calls of one turn that it was made with
 * @property {string} source
 * @property {Shown | null} context_label
 * @property {Shown | null} workspace
 * @property {string} created_at
 * @property {string | null} expires_at
 * @property {"waiting" | "gone"} caller
 * @property {Why} why
 * @property {What} what
 * @property {string | null} previous
 * @property {{kind: string, text: Shown}[]} changed
 * @property {{by: Shown, at: string, arguments: Argument[]} | null} edited
 * @property {Shown | null} agent_words
 * @property {Dialogue | null} context
 * @property {Who} who
 * @property {Asking} asking
 * @property {string | null} approve_refused
 * @property {Resolution | null} resolution
 * @property {Outcome | null} outcome
 * @property {string | null} result
 * @property {Offer} offer
 * @property {{saved: Shown[], problem: Shown | null} | null} remembered
 */

/**
 * @typedef {object} Inbox
 * @property {number} total
 * @property {Card[]} approvals
 * @property {Clarification[]} clarifications
 * @property {Elicitation[]} elicitations
 * @property {PlanReview[]} plans
 * @property {Card[]} snoozed
 * @property {Card[]} recent
 * @property {Shown[]} problems
 * @property {Freeze[]} freezes
 */

/** @typedef {{agent_id: string | null, agent: Shown | null, by: Shown, channel: string, at: string, reason: Shown | null, may_thaw: boolean}} Freeze a brake that is on; agent_id null: every agent */

/** @typedef {{batch_id: string, digest: string, code: string, waits: boolean, cards: Card[]}} CallSet the calls of a turn, in their order */

/**
 * @typedef {object} Kept a grant or a veto
 * @property {string} id
 * @property {Shown} label
 * @property {Shown} user whose calls it is for
 * @property {string | null} session_id null: for always
 * @property {Shown} by
 * @property {string} added
 * @property {Shown | null} comment
 */

/**
 * @typedef {object} Bypass
 * @property {string} id
 * @property {Shown} label
 * @property {Shown} user
 * @property {string} session_id
 * @property {Shown} by
 * @property {string} added
 * @property {string | null} until null: until the session ends
 */

/** @typedef {{bypasses: Bypass[], grants: Kept[], vetoes: Kept[]}} Remembered */

/**
 * @typedef {object} ByRule a call that policy alone allowed or denied
 * @property {string} at
 * @property {string} call_id
 * @property {Shown} agent
 * @property {Shown} tool
 * @property {Shown[]} targets
 * @property {"allow" | "deny"} effect
 * @property {string} reason
 * @property {Shown} rule
 */

/** @typedef {{person: {person_id: string, name: string, admin: boolean}, kind: string}} Me */

/**
 * @typedef {object} Problem
 * @property {string} [type]
 * @property {string} [title]
 * @property {number} [status]
 * @property {string} [detail]
 * @property {string} [hint]
 * @property {Resolution | null} [resolution]
 * @property {Record<string, string>} [fields] what is wrong with an answer, field by field
 */

/** @typedef {"connecting" | "live" | "offline"} Connection */

export {};
