/*
 * One move of one replica by the protocol of src/migration: two replicas of rescheduler with one leader, a ReplicaSet
 * controller, and a user who deletes pods, scales and cancels. The leader may change between any two steps, and between
 * reading and writing. The model checks the guarantees of docs/migration.md.
 *
 *   spin -a -DMBB=1 migration.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan        MBB=0: coordinated
 *   spin -a -DMBB=1 migration.pml && cc -O2 -DNFAIR=3 -o pan pan.c && ./pan -a -f -N ends   every move ends
 */
#ifndef MBB
#define MBB 0
#endif
#define N 2         /* number of replicas of the workload */
#ifndef CHANGES
#define CHANGES 2   /* maximum number of leader changes */
#endif

mtype = { Pending, Preparing, Evicting, Replacing, Surging, Retiring, CleaningUp, Ended };

/* --- the state in the API server --- */
mtype phase = Pending;     /* phase of the Migration */
byte before = 0;           /* field of the Migration: replicas before the surge */
bool surge_seen = false;   /* field of the Migration: the surge was observed */
bool marked = false;       /* the workload has the intent annotation */
bool surged = false;       /* the intent says that the migrator added a replica */
byte desired = N;          /* spec.replicas of the workload */
bool cost = false;         /* the source pod has the lowest deletion cost */
bool source = true;        /* the pod to move exists */
byte others = N - 1;       /* ready pods that existed before the move */
byte fresh = 0;            /* pods created during the move, not ready */
byte served = 0;           /* pods created during the move, ready */

byte leader = 0;
byte changes = 0;
bool cancelled = false;
bool deadline = false;     /* the deadline passed; this happens eventually, at any time */
bool meddled = false;      /* another client deleted a pod or scaled the workload */
bool stale[2];             /* the objects changed after this replica last read them */

#define ready (source + others + served)
#define total (ready + fresh)
#define touch stale[0] = true; stale[1] = true  /* a new resourceVersion */

inline record(next) {
  assert(leader == me);
  phase = next;
  touch
}

proctype Migrator(byte me) {
  mtype at;
  bool late;
  do
  :: phase == Ended -> break
  :: (leader == me && phase != Ended) ->
     d_step { stale[me] = false; at = phase };
     late = deadline;
     atomic {
       if
       :: leader != me || stale[me] -> skip   /* the fence or a conflict: read again */
       :: else ->
          if
          /* -- both -- */
          :: at == Ended -> skip
          :: at == Pending && (cancelled || !source) -> record(Ended)
          :: at == Pending && !(cancelled || !source) -> record(Preparing)
          :: at == CleaningUp && cost && source -> cost = false
          :: at == CleaningUp && !(cost && source) && marked ->
             /* one patch: removes the added replica unless another client changed the number */
             if :: surged && desired == before + 1 -> desired = before :: else -> skip fi;
             marked = false; surged = false; touch
          :: at == CleaningUp && !(cost && source) && !marked -> record(Ended)
          /* -- coordinated -- */
          :: !MBB && at == Preparing ->
             if
             :: cancelled || !source || late -> record(CleaningUp)
             :: else ->
                if
                :: !marked -> marked = true; touch
                :: marked && ready >= desired -> record(Evicting)
                :: else -> skip
                fi
             fi
          :: !MBB && at == Evicting ->
             if
             :: !source -> record(Replacing)
             :: source && (cancelled || late) -> record(CleaningUp)
             :: source && !cancelled && !late && ready >= desired ->
                assert(phase == Evicting && marked);
                source = false;
                assert(meddled || ready >= desired - 1)
             :: else -> skip
             fi
          :: !MBB && at == Replacing ->
             if
             :: served > 0 -> record(CleaningUp)
             :: served == 0 && (late || total >= desired) -> record(CleaningUp)
             :: else -> skip
             fi
          /* -- make before break -- */
          :: MBB && at == Preparing ->
             if
             :: cancelled || !source || late -> record(CleaningUp)
             :: else -> before = desired; record(Surging)
             fi
          :: MBB && at == Surging ->
             if
             :: !source || cancelled || late -> record(CleaningUp)
             :: else ->
                if
                :: !cost -> cost = true
                :: cost && !surged && surge_seen -> record(CleaningUp)
                :: cost && !surged && !surge_seen && desired != before -> before = desired; record(Surging)
                :: cost && !surged && !surge_seen && desired == before ->
                   desired = before + 1; marked = true; surged = true; touch
                :: cost && surged && !surge_seen -> surge_seen = true; record(Surging)
                :: cost && surged && surge_seen && desired != before + 1 -> record(CleaningUp)
                :: cost && surged && surge_seen && desired == before + 1 ->
                   if :: served > 0 -> record(Retiring) :: else -> skip fi
                fi
             fi
          :: MBB && at == Retiring ->
             if
             :: !source -> record(CleaningUp)
             :: source && surged && desired != before + 1 -> record(CleaningUp)
             :: source && surged && desired == before + 1 && fresh == 0 && total == desired ->
                desired = before; surged = false; touch
             :: source && surged && desired == before + 1 && !(fresh == 0 && total == desired) ->
                if :: late -> record(CleaningUp) :: else -> skip fi
             :: source && !surged -> if :: late -> record(CleaningUp) :: else -> skip fi
             fi
          fi
       fi
     }
  od
}

/* Keeps the number of pods. Removes pods that are not ready first, then the pod with the lowest cost, then any pod. */
active proctype Controller() {
  do
  :: phase == Ended && total == desired && fresh == 0 -> break
  :: atomic { total < desired -> fresh++ }
  :: atomic { total > desired && fresh > 0 -> fresh-- }
  :: atomic { total > desired && fresh == 0 && source && cost -> source = false }
  :: atomic { total > desired && fresh == 0 && !(source && cost) ->
       if
       :: source -> source = false
       :: others > 0 -> others--
       :: served > 0 -> served--
       fi }
  :: atomic { fresh > 0 -> fresh--; served++ }
  od
}

active proctype Time() { deadline = true }

active proctype OtherClients() {
  do
  :: changes < CHANGES -> atomic { leader = 1 - leader; changes++ }
  :: atomic { !cancelled -> cancelled = true }
  :: atomic { !meddled -> meddled = true;
       if
       :: source -> source = false
       :: others > 0 -> others--
       :: desired < N + 2 -> desired++; touch
       :: desired > 1 -> desired--; touch
       fi }
  :: break
  od
}

init { atomic { run Migrator(0); run Migrator(1) } }

/* Checked in every state: after the end no marks remain; the migrator never changes the number of replicas for good; with
   make before break the workload never lacks a replica. */
#define clean (phase != Ended || (!marked && !surged && !(cost && source)))
#define number (phase != Ended || meddled || desired == N)
#define serving (meddled || !MBB || ready >= N)
active proctype Rules() {
end:
  atomic { !(clean && number && serving) -> assert(clean); assert(number); assert(serving) }
}

ltl ends { <> (phase == Ended) }
