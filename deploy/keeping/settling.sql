-- What a restored database of Prefect is told, of SQLite and of PostgreSQL alike.

-- What ran when it was saved does not run any more, nor does what waited for a person.
INSERT INTO flow_run_state (type, name, message, flow_run_id)
SELECT 'CRASHED', 'Crashed', 'It ran when the backup was made that this server was restored from', id
FROM flow_run WHERE state_type IN ('RUNNING', 'PENDING', 'CANCELLING', 'PAUSED');

INSERT INTO task_run_state (type, name, message, task_run_id)
SELECT 'CRASHED', 'Crashed', 'It ran when the backup was made that this server was restored from', id
FROM task_run WHERE state_type IN ('RUNNING', 'PENDING', 'CANCELLING');

UPDATE flow_run SET
  state_type = 'CRASHED', state_name = 'Crashed',
  end_time = CURRENT_TIMESTAMP, state_timestamp = CURRENT_TIMESTAMP,
  state_id = (SELECT s.id FROM flow_run_state s
              WHERE s.flow_run_id = flow_run.id ORDER BY s.created DESC LIMIT 1)
WHERE state_type IN ('RUNNING', 'PENDING', 'CANCELLING', 'PAUSED');

UPDATE task_run SET
  state_type = 'CRASHED', state_name = 'Crashed',
  end_time = CURRENT_TIMESTAMP, state_timestamp = CURRENT_TIMESTAMP,
  state_id = (SELECT s.id FROM task_run_state s
              WHERE s.task_run_id = task_run.id ORDER BY s.created DESC LIMIT 1)
WHERE state_type IN ('RUNNING', 'PENDING', 'CANCELLING');

-- So nothing holds a slot.
UPDATE concurrency_limit SET active_slots = '[]';
UPDATE concurrency_limit_v2 SET active_slots = 0;

-- Where the key to them was left out of the backup, nobody can read the blocks, and Prefect's pages
-- would fail at them.
UPDATE deployment SET storage_document_id = NULL, infrastructure_document_id = NULL
WHERE NOT EXISTS (SELECT 1 FROM configuration WHERE key = 'ENCRYPTION_KEY');
UPDATE flow_run SET infrastructure_document_id = NULL
WHERE NOT EXISTS (SELECT 1 FROM configuration WHERE key = 'ENCRYPTION_KEY');
DELETE FROM block_document_reference
WHERE NOT EXISTS (SELECT 1 FROM configuration WHERE key = 'ENCRYPTION_KEY');
DELETE FROM block_document
WHERE NOT EXISTS (SELECT 1 FROM configuration WHERE key = 'ENCRYPTION_KEY');
