/* See core/ticket.h. */
#include "core/ticket.h"

void adm_ticket_list_append(struct adm_ticket_list *list, const struct adm_pool *tickets,
                            uint32_t number)
{
    struct adm_ticket *ticket = adm_ticket_at(tickets, number);
    ticket->previous = list->last;
    ticket->next = ADM_TICKET_NONE;
    if (list->last == ADM_TICKET_NONE) {
        list->first = number;
    } else {
        adm_ticket_at(tickets, list->last)->next = number;
    }
    list->last = number;
}

void adm_ticket_list_remove(struct adm_ticket_list *list, const struct adm_pool *tickets,
                            uint32_t number)
{
    const struct adm_ticket *ticket = adm_ticket_at(tickets, number);
    if (ticket->previous == ADM_TICKET_NONE) {
        list->first = ticket->next;
    } else {
        adm_ticket_at(tickets, ticket->previous)->next = ticket->next;
    }
    if (ticket->next == ADM_TICKET_NONE) {
        list->last = ticket->previous;
    } else {
        adm_ticket_at(tickets, ticket->next)->previous = ticket->previous;
    }
}
