from django.urls import path

from rest import views

urlpatterns = [
    path("", views.Root.as_view(), name="root"),
    path("schema/", views.Description.as_view(), name="schema"),
    path("docs/", views.Browser.as_view(url_name="schema"), name="docs"),
]
